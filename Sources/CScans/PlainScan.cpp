// The one file that knows poppler's own C++ classes: what watches a page being displayed, and what reads its image.
#include "CScans.h"
#include "Resample.hpp"

#include <GfxState.h>
#include <GlobalParams.h>
#include <OutputDev.h>
#include <PDFDoc.h>
#include <Page.h>
#include <Stream.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace {

using scans::Axis;
using scans::Placement;

// More than any scanner makes; and sums of rows stay within their integers.
constexpr int longestSide = 65535;
constexpr int64_t mostPixels = int64_t(1) << 31;

/// An image of a page, and how it is to be read.
struct Image {
    Ref stream = Ref::INVALID();
    int width = 0;
    int height = 0;
    bool isBits = false;
    /// What each value of a pixel means.
    uint8_t darkness[256] = {};
    /// From the unit square to points of the page, its first row on top.
    double matrix[6] = {};
    /// What is not clipped away, in points.
    double clip[4] = {};
};

/// A gray as darkness; -1 for a colour. Profiles come out a little beside gray.
int darkness(const GfxRGB &color)
{
    const int red = colToByte(color.r), green = colToByte(color.g), blue = colToByte(color.b);
    constexpr int besideGray = 2;
    if (std::max({red, green, blue}) - std::min({red, green, blue}) > besideGray) {
        return -1;
    }
    return 255 - green;
}

/// Watches a page being displayed: is all that is to be seen one image?
class Watcher final : public OutputDev {
public:
    /// The image, when the whole page was seen.
    const Image *result() const { return isPlain && hasImage ? &image : nullptr; }
    bool isDone() const { return !isPlain; }

    bool upsideDown() override { return true; }
    bool useDrawChar() override { return true; }
    bool useTilingPatternFill() override { return true; }
    bool useShadedFills(int) override { return true; }
    bool interpretType3Chars() override { return false; }

    void saveState(GfxState *) override { clips.push_back(isClippedToRectangle); }
    void restoreState(GfxState *) override
    {
        if (!clips.empty()) {
            isClippedToRectangle = clips.back();
            clips.pop_back();
        }
    }

    void clip(GfxState *state) override { isClippedToRectangle = isClippedToRectangle && isRectangle(state); }
    void eoClip(GfxState *state) override { clip(state); }
    void clipToStrokePath(GfxState *) override { isClippedToRectangle = false; }

    void stroke(GfxState *) override { refuse(); }
    void fill(GfxState *) override { refuse(); }
    void eoFill(GfxState *) override { refuse(); }
    bool tilingPatternFill(GfxState *, Gfx *, Catalog *, GfxTilingPattern *, const double *, int, int, int, int, double, double) override { return refuse(); }
    bool functionShadedFill(GfxState *, GfxFunctionShading *) override { return refuse(); }
    bool axialShadedFill(GfxState *, GfxAxialShading *, double, double) override { return refuse(); }
    bool radialShadedFill(GfxState *, GfxRadialShading *, double, double) override { return refuse(); }
    bool gouraudTriangleShadedFill(GfxState *, GfxGouraudTriangleShading *) override { return refuse(); }
    bool patchMeshShadedFill(GfxState *, GfxPatchMeshShading *) override { return refuse(); }

    void drawChar(GfxState *state, double, double, double, double, double, double, CharCode, int, const Unicode *, int) override
    {
        // Text that was recognised in a scan lies over it invisibly.
        constexpr int invisible = 3;
        if (state->getRender() != invisible) {
            refuse();
        }
    }

    void drawImageMask(GfxState *state, Object *ref, Stream *, int width, int height, bool invert, bool, bool isInline) override
    {
        GfxRGB color;
        state->getFillRGB(&color);
        const int ink = darkness(color);
        if (ink < 0 || !take(state, ref, width, height, isInline)) {
            refuse();
            return;
        }
        image.isBits = true;
        image.darkness[invert ? 1 : 0] = static_cast<uint8_t>(ink);
    }

    void drawImage(GfxState *state, Object *ref, Stream *, int width, int height, GfxImageColorMap *colors, bool, const int *maskColors, bool isInline) override
    {
        const bool isReadable = colors->getNumPixelComps() == 1 && (colors->getBits() == 1 || colors->getBits() == 8);
        if (maskColors != nullptr || !isReadable || !take(state, ref, width, height, isInline)) {
            refuse();
            return;
        }
        image.isBits = colors->getBits() == 1;
        for (int value = 0; value < (image.isBits ? 2 : 256); ++value) {
            const unsigned char pixel = static_cast<unsigned char>(value);
            GfxRGB color;
            colors->getRGB(&pixel, &color);
            const int dark = darkness(color);
            if (dark < 0) {
                refuse();
                return;
            }
            image.darkness[value] = static_cast<uint8_t>(dark);
        }
        // Bits are drawn as ink on white; paper of another colour is rare enough.
        if (image.isBits && image.darkness[0] != 0 && image.darkness[1] != 0) {
            refuse();
        }
    }

    void setSoftMaskFromImageMask(GfxState *, Object *, Stream *, int, int, bool, bool, double *) override { refuse(); }
    void drawMaskedImage(GfxState *, Object *, Stream *, int, int, GfxImageColorMap *, bool, Stream *, int, int, bool, bool) override { refuse(); }
    void drawSoftMaskedImage(GfxState *, Object *, Stream *, int, int, GfxImageColorMap *, bool, Stream *, int, int, GfxImageColorMap *, bool) override { refuse(); }
    bool checkTransparencyGroup(GfxState *, bool) override { return !refuse(); }
    void beginTransparencyGroup(GfxState *, const double *, GfxColorSpace *, bool, bool, bool) override { refuse(); }
    void setSoftMask(GfxState *, const double *, bool, Function *, GfxColor *) override { refuse(); }

private:
    Image image;
    bool hasImage = false;
    bool isPlain = true;
    bool isClippedToRectangle = true;
    std::vector<bool> clips;

    /// True, for poppler: there is nothing left to do about it.
    bool refuse()
    {
        isPlain = false;
        return true;
    }

    bool take(GfxState *state, const Object *ref, int width, int height, bool isInline)
    {
        const bool isAlone = !hasImage && isPlain && isClippedToRectangle && !isInline && ref != nullptr && ref->isRef();
        const bool isOpaque = state->getFillOpacity() == 1 && state->getBlendMode() == gfxBlendNormal;
        const bool isInBounds = width > 0 && height > 0 && std::max(width, height) <= longestSide && int64_t(width) * height <= mostPixels;
        if (!isAlone || !isOpaque || !isInBounds) {
            return false;
        }
        hasImage = true;
        image.stream = ref->getRef();
        image.width = width;
        image.height = height;
        memcpy(image.matrix, state->getCTM(), sizeof image.matrix);
        state->getClipBBox(&image.clip[0], &image.clip[1], &image.clip[2], &image.clip[3]);
        return true;
    }

    /// Whether a state's path is one rectangle along the page's sides: then its bounds are the clip.
    static bool isRectangle(const GfxState *state)
    {
        const GfxPath *const path = state->getPath();
        if (path == nullptr || path->getNumSubpaths() != 1) {
            return false;
        }
        const GfxSubpath *const outline = path->getSubpath(0);
        const int count = outline->getNumPoints();
        if (count != 4 && count != 5) {
            return false;
        }
        double x[5], y[5];
        for (int index = 0; index < count; ++index) {
            if (outline->getCurve(index)) {
                return false;
            }
            state->transform(outline->getX(index), outline->getY(index), &x[index], &y[index]);
        }
        const auto same = [](double one, double other) { return std::abs(one - other) < 0.001; };
        if (count == 5 && !(same(x[0], x[4]) && same(y[0], y[4]))) {
            return false;
        }
        const bool isAcrossFirst = same(y[0], y[1]) && same(x[1], x[2]) && same(y[2], y[3]) && same(x[3], x[0]);
        const bool isDownFirst = same(x[0], x[1]) && same(y[1], y[2]) && same(x[2], x[3]) && same(y[3], y[0]);
        return isAcrossFirst || isDownFirst;
    }
};

/// The rows of an image, as poppler's decoder for it makes them.
class StreamRows final : public scans::Rows {
public:
    explicit StreamRows(Stream *stream) : stream(stream) { stream->reset(); }
    ~StreamRows() override { stream->close(); }

    bool read(uint8_t *bytes, size_t count) override
    {
        const int got = isOver ? 0 : std::max(0, stream->doGetChars(static_cast<int>(count), bytes));
        isOver = static_cast<size_t>(got) < count;
        // As poppler fills in what an image lacks.
        memset(bytes + got, 0xff, count - static_cast<size_t>(got));
        return !isOver;
    }

private:
    Stream *const stream;
    bool isOver = false;
};

/// One axis of a page of so many pixels: the image goes from `first` to `second`, and is seen from `low` to `high`.
Axis axis(int source, int target, double first, double second, double low, double high)
{
    Axis axis;
    axis.source = source;
    axis.target = target;
    axis.isFlipped = second < first;
    low = std::clamp(low, 0.0, double(target));
    high = std::clamp(high, low, double(target));
    axis.start = axis.isFlipped ? target - first : first;
    axis.step = std::abs(second - first) / source;
    axis.low = axis.isFlipped ? target - high : low;
    axis.high = axis.isFlipped ? target - low : high;
    return axis;
}

/// Where an image lies on a page of pixels; false if it is turned by less than a right angle, or has no size.
bool place(const Image &image, int width, int height, double across, double down, Placement &placement)
{
    const double *const m = image.matrix;
    const double a = m[0] * across, b = m[1] * down, c = m[2] * across, d = m[3] * down, x = m[4] * across, y = m[5] * down;
    // An image far beyond the page would lose its place among the parts of a pixel.
    for (const double value : {a, b, c, d, x, y}) {
        if (!(std::abs(value) < 1e6)) {
            return false;
        }
    }
    constexpr double unseen = 0.02;
    const auto clip = [&](int index, double scale) { return image.clip[index] * scale; };
    const double left = clip(0, across), top = clip(1, down), right = clip(2, across), bottom = clip(3, down);
    // The first row is at the unit square's top, where its second coordinate is 1.
    if (std::abs(b) < unseen && std::abs(c) < unseen) {
        placement.isTransposed = false;
        placement.along = axis(image.width, width, x, x + a, left, right);
        placement.across = axis(image.height, height, y + d, y, top, bottom);
    } else if (std::abs(a) < unseen && std::abs(d) < unseen) {
        placement.isTransposed = true;
        placement.along = axis(image.width, height, y, y + b, top, bottom);
        placement.across = axis(image.height, width, x + c, x, left, right);
    } else {
        return false;
    }
    return placement.along.step > 0 && placement.across.step > 0;
}

/// Whether drawing this way is worth it, and looks as it should.
bool isDrawable(const Image &image, const Placement &placement)
{
    const bool isSmaller = placement.along.isSmaller() && placement.across.isSmaller();
    const bool isLarger = placement.along.step >= 1 && placement.across.step >= 1;
    // Beyond that, poppler shows pixels as squares.
    const bool isMuchLarger = placement.along.step >= 3 || placement.across.step >= 3;
    return image.isBits ? isSmaller : isSmaller || (isLarger && !isMuchLarger);
}

/// Whether a page names any image or form: most pages of a mixed PDF are refused by that, without being displayed.
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
    // poppler-glib's own, made before and unmade after this one: its messages go where they went.
    GlobalParamsIniter global { nullptr };
    std::unique_ptr<PDFDoc> document;
    Image image;
    Placement placement;
    int width = 0;
    int height = 0;
};

int woodshed_scans_possible(const void *bytes, size_t count)
{
    // A stream's dictionary is never inside of another stream; a name that is written with escapes is not worth it.
    static const char name[] = "/Image";
    const char *place = static_cast<const char *>(bytes);
    const char *const end = place + count;
    while ((place = static_cast<const char *>(memmem(place, static_cast<size_t>(end - place), name, strlen(name)))) != nullptr) {
        place += strlen(name);
        // Not /ImageMask, nor the /ImageB that old writers list with every page.
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
        Watcher watcher;
        const auto isDone = [](void *watcher) { return static_cast<Watcher *>(watcher)->isDone(); };
        // As poppler-glib displays a page on a screen.
        page->displaySlice(&watcher, 72, 72, 0, false, true, -1, -1, -1, -1, false, isDone, &watcher);
        const Image *const image = watcher.result();
        if (image == nullptr || !place(*image, width, height, across, down, scans->placement) || !isDrawable(*image, scans->placement)) {
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

int woodshed_scans_draw(woodshed_scans *scans, uint32_t *words, size_t stride)
{
    try {
        const Image &image = scans->image;
        Object object = scans->document->getXRef()->fetch(image.stream);
        if (scans->width <= 0 || !object.isStream()) {
            return 0;
        }
        StreamRows rows(object.getStream());
        const scans::Canvas canvas { words, stride, scans->width, scans->height };
        if (image.isBits) {
            const bool inkIsOne = image.darkness[0] == 0;
            scans::drawBits(rows, scans->placement, inkIsOne, image.darkness[inkIsOne ? 1 : 0], canvas);
        } else {
            scans::drawBytes(rows, scans->placement, image.darkness, canvas);
        }
        return 1;
    } catch (...) {
        return 0;
    }
}
