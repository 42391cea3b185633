// SPDX-License-Identifier: Apache-2.0
// As much of JSON as the capabilities of a connection need: whether a text is JSON, and the numbers
// and truths in its objects by path.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace vfu {

// Values by path, `capabilities.max_msg_fds` for example; truths are 0 and 1.
using JsonNumbers = std::map<std::string, double>;

// False if the text is not one JSON object.  Numbers in arrays are checked and left out.
bool json_read(std::string_view text, JsonNumbers &numbers);

} // namespace vfu
