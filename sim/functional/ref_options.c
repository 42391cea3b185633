/* SPDX-License-Identifier: Apache-2.0
 *
 * PRESET[?engine=NAME&link=ADDRESS&record=STEM&PARAMETER=NUMBER...], the options of the functional
 * device: a preset or a configuration of one's own, and the engine that matches.
 *
 * Parameters are the preset's with other values.  Their bounds are checked here; whether hardware
 * could be built of them is not asked.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engines.h"
#include "ref_device.h"

static const ref_preset_t presets[] = {
#define REF_ROW(...) {__VA_ARGS__},
    TMU_PRESET_TABLE(REF_ROW)
#undef REF_ROW
};

static const struct {
    const char *name;
    size_t offset;
    uint32_t least;
    uint32_t most;
} parameters[] = {
#define REF_PARAMETER(name, least, most) {#name, offsetof(ref_preset_t, name), least, most},
    TMU_PARAMETER_TABLE(REF_PARAMETER)
#undef REF_PARAMETER
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A part of the options, which has no NUL behind it. */
typedef struct word {
    const char *text;
    size_t length;
} word_t;

static bool is(word_t word, const char *name) {
    return strlen(name) == word.length && strncmp(name, word.text, word.length) == 0;
}

/* Keeps the sentence for who opens the device. */
static __attribute__((format(printf, 2, 3))) bool refused(ref_device_t *device, const char *format,
                                                          ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(device->error, sizeof device->error, format, arguments);
    va_end(arguments);
    return false;
}

/* Finds the preset with this name. */
static bool find_preset(ref_device_t *device, word_t name) {
    char known[128] = "";
    for (size_t i = 0; i < COUNT(presets); i++) {
        if (is(name, presets[i].name)) {
            device->own = presets[i];
            return true;
        }
        size_t used = strlen(known);
        if (used + strlen(presets[i].name) + 3 < sizeof known) {
            strcat(known, used ? ", " : "");
            strcat(known, presets[i].name);
        }
    }
    return refused(device, "unknown preset '%.*s'; known: %s", (int)name.length, name.text, known);
}

static bool find_engine(ref_device_t *device, word_t name) {
    static const char *const names[] = {ENGINES(ENGINE_MEMBER)};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (is(name, names[i]) && engine_find(names[i])) {
            device->match = &ref_matcher_engine;
            device->engine = names[i];
            return true;
        }
    }
    return refused(device, "no engine '%.*s' on this machine; known:" ENGINE_NAMES,
                   (int)name.length, name.text);
}

/* A decimal number of these digits and no more; false for anything else. */
static bool number_read(word_t word, uint32_t *value_p) {
    uint64_t value = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.text[i] < '0' || word.text[i] > '9' || value > UINT32_MAX / 10) {
            return false;
        }
        value = value * 10 + (uint64_t)(word.text[i] - '0');
    }
    *value_p = (uint32_t)value;
    return word.length > 0 && value <= UINT32_MAX;
}

/* Another value for one parameter; from then on the configuration is no preset. */
static bool parameter_set(ref_device_t *device, size_t i, word_t text) {
    ref_preset_t *preset = &device->own;
    uint32_t value = 0;
    if (!number_read(text, &value) || value < parameters[i].least || value > parameters[i].most) {
        return refused(device, "%s: found '%.*s', expected a number from %u to %u",
                       parameters[i].name, (int)text.length, text.text, parameters[i].least,
                       parameters[i].most);
    }
    memcpy((char *)preset + parameters[i].offset, &value, sizeof value);
    preset->name = "own";
    preset->number = TMU_PRESET_OWN;
    return true;
}

/* Text that others read. */
static bool text_read(ref_device_t *device, const char *name, word_t text, char *to, size_t size,
                      const char *expected) {
    if (text.length == 0 || text.length >= size) {
        return refused(device, "%s: found '%.*s', expected %s", name, (int)text.length, text.text,
                       expected);
    }
    memcpy(to, text.text, text.length);
    to[text.length] = '\0';
    return true;
}

static bool option_read(ref_device_t *device, word_t option) {
    const char *equals = memchr(option.text, '=', option.length);
    size_t length = equals ? (size_t)(equals - option.text) : option.length;
    const word_t name = {option.text, length};
    if (equals) {
        const word_t value = {equals + 1, option.length - length - 1};
        if (is(name, "engine")) {
            return find_engine(device, value);
        }
        if (is(name, "link")) {
            return text_read(device, "link", value, device->link, sizeof device->link,
                             "unix:PATH or tap:NAME");
        }
        if (is(name, "record")) {
            return text_read(device, "record", value, device->stem, sizeof device->stem,
                             "the path of files, without .trace");
        }
        for (size_t i = 0; i < COUNT(parameters); i++) {
            if (is(name, parameters[i].name)) {
                return parameter_set(device, i, value);
            }
        }
    }
    return refused(
        device,
        "unknown option '%.*s'; known: engine=NAME, link=ADDRESS, record=STEM, and a "
        "number for each of endpoints, tag_bits and the other parameters of a configuration",
        (int)option.length, option.text);
}

bool ref_options_read(ref_device_t *device, const char *options) {
    device->match = &ref_matcher_model;
    device->engine = "model";
    device->preset = &device->own;
    const size_t length = strcspn(options, "?");
    bool known = find_preset(device, (word_t){options, length});
    const char *at = options + length;
    while (known && *at != '\0') {
        at++; /* past ? or & */
        const word_t option = {at, strcspn(at, "&")};
        known = option_read(device, option);
        at += option.length;
    }
    if (known && device->stem[0] != '\0' && device->link[0] == '\0') {
        return refused(device, "record=%s: expected a link beside it, for only a card records",
                       device->stem);
    }
    return known;
}
