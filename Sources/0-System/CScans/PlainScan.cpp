// Only this file and its page watcher use poppler's own C++ classes, apart from the code for a page's text and resources, and for
// the page tree.
#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "CScans.h"
#include "FaxRows.hpp"
#include "JpegRows.hpp"
#include "PackedInk.hpp"
#include "PageWatcher.hpp"
#include "PopplerVersions.hpp"

#include <GlobalParams.h>
#include <PDFDoc.h>
#include <Page.h>
#include <Stream.h>

#include <memory>

namespace {

using scans::Got;
using scans::Image;
using scans::Placement;

/// The rows of an image from poppler's decoder.
class StreamRows final : public scans::Rows {
public:
    explicit StreamRows(Stream *stream) : stream(stream) { scans::begin(stream); }
    ~StreamRows() override { stream->close(); }

    Got read(uint8_t *bytes, size_t count) override
    {
        const int got = isOver ? 0 : std::max(0, stream->doGetChars(static_cast<int>(count), bytes));
        isOver = static_cast<size_t>(got) < count;
        // Fill in missing data with ones, as poppler itself does.
        memset(bytes + got, 0xff, count - static_cast<size_t>(got));
        return isOver ? Got::end : Got::row;
    }

private:
    Stream *const stream;
    bool isOver = false;
};

/// Rows of colours from poppler's decoder, in the byte order of a page's words.
class ColorRows final : public scans::Rows {
public:
    explicit ColorRows(Stream *stream) : rows(stream) {}

    Got read(uint8_t *bytes, size_t count) override
    {
        const Got got = rows.read(bytes, count);
        for (size_t x = 0; x + 2 < count; x += 3) {
            std::swap(bytes[x], bytes[x + 2]);
        }
        return got;
    }

private:
    StreamRows rows;
};

/// The undecoded input of a stream's own filter; empty if there is more than any scan has.
std::vector<uint8_t> encodedBytes(Stream *stream)
{
    constexpr size_t atOnce = size_t(1) << 18, most = size_t(1) << 26;
    Stream *const source = stream->getNextStream();
    std::vector<uint8_t> bytes;
    scans::begin(source);
    for (int got = 1; got > 0;) {
        const size_t count = bytes.size();
        if (count >= most) {
            return {};
        }
        bytes.resize(count + atOnce);
        got = source->doGetChars(static_cast<int>(atOnce), bytes.data() + count);
        bytes.resize(count + static_cast<size_t>(std::max(0, got)));
    }
    source->close();
    return bytes;
}

/// The parameters of a stream's own filter, which is the last one.
Object parameters(Stream *stream)
{
    Dict *const dict = stream->getDict();
    Object found = dict == nullptr ? Object(objNull) : dict->lookup("DecodeParms");
    const int count = found.isArray() ? found.arrayGetLength() : 0;
    return count == 0 ? std::move(found) : found.arrayGet(count - 1);
}

/// Draws fax data from its changes of colour; false if poppler has to decode it.
bool drawFax(Stream *stream, const Image &image, const Placement &placement, bool inkIsOne, const scans::Canvas &canvas)
{
    if (stream->getKind() != strCCITTFax) {
        return false;
    }
    auto *fax = static_cast<CCITTFaxStream *>(stream);
    scans::FaxForm form;
    form.k = fax->getEncoding();
    form.columns = fax->getColumns();
    form.endOfLine = fax->getEndOfLine();
    form.byteAlign = fax->getEncodedByteAlign();
    form.endOfBlock = fax->getEndOfBlock();
    const Object described = parameters(fax);
    const Object rowCount = described.isDict() ? described.dictLookup("Rows") : Object(objNull);
    form.rows = rowCount.isInt() ? rowCount.getInt() : 0;
    if (form.columns != image.shown.width) {
        return false;
    }
    scans::FaxRows rows(form, encodedBytes(fax), fax->getBlackIs1() == inkIsOne, inkIsOne);
    return scans::drawInk(rows, placement, image.darkness[inkIsOne ? 1 : 0], canvas);
}

woodshed_scan_decoder drawBits(Stream *stream, const Image &image, const Placement &placement, const scans::Canvas &canvas)
{
    const bool inkIsOne = image.darkness[0] == 0;
    if (drawFax(stream, image, placement, inkIsOne, canvas)) {
        return WOODSHED_SCAN_BY_OURS;
    }
    StreamRows rows(stream);
    scans::PackedInk ink(rows, image.shown.width, inkIsOne);
    scans::drawInk(ink, placement, image.darkness[inkIsOne ? 1 : 0], canvas);
    return WOODSHED_SCAN_BY_POPPLER;
}

/// Draws rows of bytes in one channel or three.
bool drawBytes(scans::Rows &rows, const Image &image, const Placement &placement, const scans::Canvas &canvas)
{
    return image.kind == Image::colors ? scans::drawColors(rows, placement, canvas) : scans::drawGray(rows, placement, image.darkness, canvas);
}

/// Draws a JPEG with libjpeg alone; false if poppler has to decode it.
bool drawJpeg(Stream *stream, const Image &image, const Placement &placement, const scans::Canvas &canvas)
{
    // The JPEG filter's only parameter (ColorTransform) changes how colours are mixed, so leave images with parameters to poppler.
    if (stream->getKind() != strDCT || !parameters(stream).isNull()) {
        return false;
    }
    const scans::JpegForm form {image.shown.width, image.shown.height, image.kind == Image::colors ? 3 : 1};
    const std::vector<uint8_t> bytes = encodedBytes(stream);
    scans::JpegRows rows(form, bytes);
    return drawBytes(rows, image, placement, canvas);
}

woodshed_scan_decoder drawSamples(Stream *stream, const Image &image, const Placement &placement, const scans::Canvas &canvas)
{
    if (drawJpeg(stream, image, placement, canvas)) {
        return WOODSHED_SCAN_BY_OURS;
    }
    if (image.kind == Image::colors) {
        ColorRows rows(stream);
        drawBytes(rows, image, placement, canvas);
    } else {
        StreamRows rows(stream);
        drawBytes(rows, image, placement, canvas);
    }
    return WOODSHED_SCAN_BY_POPPLER;
}

/// Whether drawing the image with this code saves time, and gives the same look as poppler would.
bool isDrawable(const Image &image, const Placement &placement)
{
    const bool isSmaller = placement.along.isSmaller() && placement.across.isSmaller();
    const bool isLarger = placement.along.step >= 1 && placement.across.step >= 1;
    // Above this step, poppler shows pixels as squares.
    const bool isMuchLarger = placement.along.step >= 3 || placement.across.step >= 3;
    return isSmaller || (image.kind == Image::gray && isLarger && !isMuchLarger);
}

/// Whether a page names any image or form. This check rules out most pages of a mixed PDF without displaying them.
bool mayHoldImage(Page *page)
{
    Dict *const resources = page->getResourceDict();
    if (resources == nullptr) {
        return false;
    }
    const Object objects = resources->lookup("XObject");
    return objects.isDict() && objects.getDict()->getLength() > 0;
}

} // namespace

struct woodshed_scans {
    // Keeps poppler's global parameters alive. The null callback changes nothing: poppler-glib's own object, which exists before and after
    // this one, determines where messages go.
    GlobalParamsIniter global { nullptr };
    std::unique_ptr<PDFDoc> document;
    Image image;
    Placement placement;
    int width = 0;
    int height = 0;
};

int woodshed_scans_are_known(void)
{
    return 1;
}

int woodshed_scans_possible(const void *bytes, size_t count)
{
    // A stream's dictionary is never inside another stream; escaped names are too rare to matter.
    static const char name[] = "/Image";
    const char *place = static_cast<const char *>(bytes);
    const char *const end = place + count;
    while ((place = static_cast<const char *>(memmem(place, static_cast<size_t>(end - place), name, strlen(name)))) != nullptr) {
        place += strlen(name);
        // Exclude /ImageMask, and /ImageB, which old programs list for every page.
        if (place == end || !isalnum(static_cast<unsigned char>(*place))) {
            return 1;
        }
    }
    return 0;
}

woodshed_scans *woodshed_scans_open(const void *bytes, size_t count)
{
    try {
        auto scans = std::make_unique<woodshed_scans>();
        auto stream = std::make_unique<MemStream>(static_cast<const char *>(bytes), 0, static_cast<Goffset>(count), Object(objNull));
        scans->document = std::make_unique<PDFDoc>(stream.release());
        return scans->document->isOk() ? scans.release() : nullptr;
    } catch (...) {
        return nullptr;
    }
}

void woodshed_scans_close(woodshed_scans *scans)
{
    try {
        delete scans;
    } catch (...) {
    }
}

int woodshed_scans_find(woodshed_scans *scans, int index, int width, int height, double across, double down)
{
    try {
        scans->width = scans->height = 0;
        Page *const page = scans->document->getPage(index + 1);
        if (page == nullptr || width <= 0 || height <= 0 || !mayHoldImage(page)) {
            return 0;
        }
        scans::PageWatcher watcher;
        const auto isDone = [](void *watcher) { return static_cast<scans::PageWatcher *>(watcher)->isDone(); };
        // poppler-glib displays a page on a screen with these arguments.
        page->displaySlice(&watcher, 72, 72, 0, false, true, -1, -1, -1, -1, false, isDone, &watcher);
        const Image *const image = watcher.result();
        const scans::Paper paper {width, height, across, down};
        if (image == nullptr || !scans::place(image->shown, paper, scans->placement) || !isDrawable(*image, scans->placement)) {
            return 0;
        }
        scans->image = *image;
        scans->width = width;
        scans->height = height;
        return 1;
    } catch (...) {
        return 0;
    }
}

woodshed_scan_decoder woodshed_scans_draw(woodshed_scans *scans, uint32_t *words, size_t stride)
{
    try {
        const Image &image = scans->image;
        Object object = scans->document->getXRef()->fetch(image.stream);
        if (scans->width <= 0 || !object.isStream()) {
            return WOODSHED_SCAN_NOT_DRAWN;
        }
        const scans::Canvas canvas {words, stride, scans->width, scans->height};
        Stream *const stream = object.getStream();
        const auto draw = image.kind == Image::bits ? drawBits : drawSamples;
        return draw(stream, image, scans->placement, canvas);
    } catch (...) {
        return WOODSHED_SCAN_NOT_DRAWN;
    }
}

#endif
