# SPDX-License-Identifier: Apache-2.0
"""libfabric's own tests (fabtests) with the provider: those of docs/mpi.md that pass.

Their programs are searched in the folder that TMU_FABTESTS names, then in PATH.
"""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SERVER, CLIENT = "127.0.0.1", "127.0.0.2"
PAIRS = (
    "fi_av_xfer",
    "fi_bw -I 100",
    "fi_cq_data",
    "fi_msg_inject -A inject",
    "fi_msg_inject -N -A inject",
    "fi_multi_ep",
    "fi_multi_recv -I 20",
    "fi_rdm",
    "fi_rdm_cntr_pingpong -I 20",
    "fi_rdm_multi_client -I 5",
    "fi_rdm_pingpong -I 20",
    "fi_rdm_pingpong -I 20 -c counter",
    "fi_rdm_pingpong -I 20 -c fd",
    "fi_rdm_pingpong -I 20 -c sread",
    "fi_rdm_tagged_bw -I 20",
    "fi_rdm_tagged_peek",
    "fi_rdm_tagged_pingpong -I 20",
    "fi_rdm_tagged_pingpong -I 20 -c counter",
    "fi_rdm_tagged_pingpong -I 20 -c fd",
    "fi_rdm_tagged_pingpong -I 20 -c sread",
    "fi_recv_cancel",
    "fi_resmgmt_test",
    "fi_unexpected_msg -I 20",
)
ALONE = (
    "fi_av_test -g 127.0.0.1 -n 1 -s 127.0.0.1",
    "fi_cntr_test",
    "fi_cq_test",
    "fi_dom_test",
    "fi_eq_test",
    "fi_getinfo_test",
    "fi_mr_test",
)


def find(name: str) -> str:
    """A program's path; skips where there is none."""
    folder = os.environ.get("TMU_FABTESTS", "")
    found = shutil.which(name, path=os.pathsep.join([folder, os.environ.get("PATH", "")]))
    if found is None:
        pytest.skip(f"no {name} in PATH or in TMU_FABTESTS={folder!r}: fabtests of libfabric")
    return found


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TMU_")}
    return {**kept, "FI_PROVIDER_PATH": str(folder), "TMU_URI": "ref:tiny"}


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind((SERVER, 0))
        return str(listener.getsockname()[1])


def wait_for(port: str, server: subprocess.Popen[str]) -> None:
    """Until somebody listens there; the attempt itself is a connection that is closed at once."""
    end = time.monotonic() + 30
    while server.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection((SERVER, int(port)), 1).close()
            return
        except OSError:
            time.sleep(0.05)


def run_pair(server_words: list[str], client_words: list[str], port: str, folder: Path) -> None:
    settings = environment(folder)
    server = subprocess.Popen(
        server_words, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        wait_for(port, server)
        client = subprocess.run(
            client_words, env=settings, capture_output=True, text=True, check=False, timeout=120
        )
        said, _ = server.communicate(timeout=30)
    finally:
        server.kill()
    assert (server.returncode, client.returncode) == (0, 0), f"{said}\n{client.stdout}"


@pytest.mark.parametrize("words", PAIRS)
def test_two_processes(words: str, provider_folder: Path) -> None:
    """They find each other by host and port; messages of both kinds, counters, all waits."""
    name, *options = words.split()
    command = [find(name), "-p", "tmu", *options]
    port = free_port()
    server = [*command, "-s", SERVER, "-B", port]
    run_pair(server, [*command, "-s", CLIENT, "-P", port, SERVER], port, provider_folder)


@pytest.mark.parametrize("words", ALONE)
def test_one_process(words: str, provider_folder: Path) -> None:
    name, *options = words.split()
    done = subprocess.run(
        [find(name), "-p", "tmu", *options],
        env=environment(provider_folder),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_pingpong_of_libfabric_itself(provider_folder: Path) -> None:
    """fi_pingpong comes with libfabric (Debian: libfabric-bin): it runs where nothing else does."""
    port = free_port()
    command = [find("fi_pingpong"), "-p", "tmu", "-e", "rdm", "-d", "lo", "-I", "20"]
    client = [*command, "-P", port, SERVER]
    # Its server listens once and takes the first connection for its client.
    server = subprocess.Popen([*command, "-B", port], env=environment(provider_folder))
    try:
        time.sleep(1)
        done = subprocess.run(client, env=environment(provider_folder), check=False, timeout=120)
        assert (done.returncode, server.wait(30)) == (0, 0)
    finally:
        server.kill()
