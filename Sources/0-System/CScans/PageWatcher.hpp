#pragma once
#include "Placement.hpp"

#include <GfxState.h>
#include <OutputDev.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace scans {

// Larger than any scan, but small enough that sums of rows fit into their integers.
inline constexpr int longestSide = 65535;
inline constexpr int64_t mostPixels = int64_t(1) << 31;

/// An image on a page, and how to read it.
struct Image {
    enum Kind { bits, gray, colors };
    Kind kind = gray;
    Ref stream = Ref::INVALID();
    Shown shown;
    /// The darkness that each pixel value stands for, if there is one value per pixel.
    uint8_t darkness[256] = {};
};

/// A gray as darkness; -1 for a colour. Colour profiles make some grays slightly coloured, which still count as gray.
inline int darkness(const GfxRGB &color)
{
    const int red = colToByte(color.r), green = colToByte(color.g), blue = colToByte(color.b);
    constexpr int besideGray = 2;
    if (std::max({red, green, blue}) - std::min({red, green, blue}) > besideGray) {
        return -1;
    }
    return 255 - green;
}

/// Whether three bytes are red, green and blue, apart from the small deviations of a profile for screens.
inline bool areColors(GfxImageColorMap &map)
{
    constexpr int step = 51, beside = 1;
    for (int red = 0; red <= 255; red += step) {
        for (int green = 0; green <= 255; green += step) {
            for (int blue = 0; blue <= 255; blue += step) {
                const unsigned char pixel[] = {static_cast<unsigned char>(red), static_cast<unsigned char>(green), static_cast<unsigned char>(blue)};
                GfxRGB color;
                map.getRGB(pixel, &color);
                const int off[] = {colToByte(color.r) - red, colToByte(color.g) - green, colToByte(color.b) - blue};
                for (const int each : off) {
                    if (std::abs(each) > beside) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/// Watches poppler display a page, to find out whether a single image is everything visible on it.
class PageWatcher final : public OutputDev {
public:
    /// The image, if the whole page was displayed and shows nothing else.
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
        // Text recognised in a scan is laid over it invisibly.
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
        if (ink < 0 || !setImage(state, ref, width, height, isInline)) {
            refuse();
            return;
        }
        image.kind = Image::bits;
        image.darkness[invert ? 1 : 0] = static_cast<uint8_t>(ink);
    }

    void drawImage(GfxState *state, Object *ref, Stream *, int width, int height, GfxImageColorMap *colors, bool, const int *maskColors, bool isInline) override
    {
        const int channels = colors->getNumPixelComps(), bits = colors->getBits();
        const bool isReadable = bits == 8 ? channels == 1 || channels == 3 : bits == 1 && channels == 1;
        if (maskColors != nullptr || !isReadable || !setImage(state, ref, width, height, isInline)) {
            refuse();
            return;
        }
        image.kind = channels == 3 ? Image::colors : bits == 1 ? Image::bits : Image::gray;
        if (image.kind == Image::colors ? !areColors(*colors) : !readGrays(*colors)) {
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

    /// Returns true, as poppler expects if there is nothing left to do.
    bool refuse()
    {
        isPlain = false;
        return true;
    }

    bool setImage(GfxState *state, const Object *ref, int width, int height, bool isInline)
    {
        const bool isAlone = !hasImage && isPlain && isClippedToRectangle && !isInline && ref != nullptr && ref->isRef();
        const bool isOpaque = state->getFillOpacity() == 1 && state->getBlendMode() == gfxBlendNormal;
        const bool isInBounds = width > 0 && height > 0 && std::max(width, height) <= longestSide && int64_t(width) * height <= mostPixels;
        if (!isAlone || !isOpaque || !isInBounds) {
            return false;
        }
        hasImage = true;
        image.stream = ref->getRef();
        image.shown.width = width;
        image.shown.height = height;
        memcpy(image.shown.matrix, state->getCTM(), sizeof image.shown.matrix);
        double *const clip = image.shown.clip;
        state->getClipBBox(&clip[0], &clip[1], &clip[2], &clip[3]);
        return true;
    }

    /// Reads the darkness of each pixel value. False if a value is a colour, or if neither value of a bit is white.
    bool readGrays(GfxImageColorMap &colors)
    {
        for (int value = 0; value < (image.kind == Image::bits ? 2 : 256); ++value) {
            const unsigned char pixel = static_cast<unsigned char>(value);
            GfxRGB color;
            colors.getRGB(&pixel, &color);
            const int dark = darkness(color);
            if (dark < 0) {
                return false;
            }
            image.darkness[value] = static_cast<uint8_t>(dark);
        }
        // Bits are drawn as ink on white; paper of another colour is rare.
        return image.kind != Image::bits || image.darkness[0] == 0 || image.darkness[1] == 0;
    }

    /// Whether a state's path is a single rectangle parallel to the page's sides, so that its bounds are the clip.
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

} // namespace scans
