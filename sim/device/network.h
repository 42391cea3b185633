// SPDX-License-Identifier: Apache-2.0
// Network side of a simulated card: a link with frames, and a record of verdicts.  In a library of
// a unit alone (unit/no_network.cpp) there is neither, and nothing happens.
#pragma once

#include "pauses.h"
#include "sim_options.h"
#include "sim_top.h"

#include <memory>
#include <string>

namespace device {

class Network {
  public:
    Network();
    ~Network();

    // Connects as the options say; a sentence where that cannot be done, otherwise empty.
    std::string open(const Options &options);
    // The hardware is reset: what was on its way at its ports is lost, the link stays.
    void reset();
    // Software resets the hardware: a record ends, unless nothing was decided before.
    void software_reset();
    // In each clock, before and after its edge as other agents; `enter` is before both.
    void enter();
    void drive(Top &top, Pauses &pauses);
    void sample(Top &top);
    // Whether a frame has come or gone since this was asked last.
    bool take_moved();
    // Sentence about what went wrong for good; empty if nothing did.
    std::string problem() const;

    // Whether this process has opened a link and a frame has ever moved on it.
    bool is_busy() const;
    // Ends the record; a sentence when not all of it could be written.
    std::string close();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace device
