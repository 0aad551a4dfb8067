// Reads the entries of a page's annotations, without interpreting them.
#include "Common.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

struct woodshed_annotations {
    std::vector<QPDFObjectHandle> list;
    std::string text;

    QPDFObjectHandle at(int number, const char *path) const
    {
        auto object = list.at(static_cast<size_t>(number));
        for (const char *place = path; *place == '/';) {
            const char *end = place + 1;
            while (*end && *end != '/') {
                end += 1;
            }
            const std::string key(place, end);
            if (object.isDictionary()) {
                object = object.getKey(key);
            } else if (object.isArray()) {
                object = object.getArrayItem(atoi(key.c_str() + 1));
            } else {
                return QPDFObjectHandle::newNull();
            }
            place = end;
        }
        return object;
    }
};

namespace {

double value(QPDFObjectHandle object)
{
    if (!object.isNumber()) {
        throw std::runtime_error("not a number");
    }
    return object.getNumericValue();
}

} // namespace

woodshed_annotations *woodshed_annotations_open(woodshed_part *part, int page, woodshed_why *why)
{
    return binding::guarded<woodshed_annotations *>(why, nullptr, [&] {
        auto annotations = std::make_unique<woodshed_annotations>();
        auto list = binding::page(part, page).getObjectHandle().getKey("/Annots");
        for (int index = 0, count = list.isArray() ? list.getArrayNItems() : 0; index < count; index += 1) {
            auto item = list.getArrayItem(index);
            if (item.isDictionary()) {
                annotations->list.push_back(item);
            }
        }
        return annotations.release();
    });
}

void woodshed_annotations_close(woodshed_annotations *annotations) { delete annotations; }

int woodshed_annotations_count(const woodshed_annotations *annotations) { return static_cast<int>(annotations->list.size()); }

int woodshed_annotation_items(woodshed_annotations *annotations, int number, const char *path)
{
    woodshed_why why;
    return binding::guarded(&why, -1, [&] {
        auto object = annotations->at(number, path);
        return object.isArray() ? object.getArrayNItems() : -1;
    });
}

int woodshed_annotation_numbers(woodshed_annotations *annotations, int number, const char *path, double *numbers, int most)
{
    woodshed_why why;
    return binding::guarded(&why, -1, [&] {
        auto object = annotations->at(number, path);
        if (!object.isArray()) {
            const double only = value(object);
            if (most > 0) {
                numbers[0] = only;
            }
            return 1;
        }
        const int count = object.getArrayNItems();
        for (int index = 0; index < std::min(count, most); index += 1) {
            numbers[index] = value(object.getArrayItem(index));
        }
        return count;
    });
}

const char *woodshed_annotation_text(woodshed_annotations *annotations, int number, const char *path)
{
    woodshed_why why;
    return binding::guarded<const char *>(&why, nullptr, [&]() -> const char * {
        auto object = annotations->at(number, path);
        if (object.isName()) {
            annotations->text = object.getName().substr(1);
        } else if (object.isString()) {
            // Remove half a character at the end of a text of two-byte characters: qpdf would read on for ever.
            auto bytes = object.getStringValue();
            bool is_wide = bytes.compare(0, 2, "\xfe\xff") == 0 || bytes.compare(0, 2, "\xff\xfe") == 0;
            if (is_wide && bytes.size() % 2 == 1) {
                object = QPDFObjectHandle::newString(bytes.substr(0, bytes.size() - 1));
            }
            annotations->text = object.getUTF8Value();
        } else {
            return nullptr;
        }
        return annotations->text.c_str();
    });
}
