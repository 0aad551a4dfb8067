// poppler stops at the first branch of a page tree that it cannot follow, skips kids that are not pages, so that later pages
// move up, and trusts the count in the file. This code rewrites such a tree: every page stays in its place, and kids that are
// not pages have places, too.
#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "CScans.h"
#include "PopplerPage.hpp"
#include "PopplerVersions.hpp"

#include <Object.h>

#include <Catalog.h>
#include <PDFDoc.h>
#include <Page.h>
#include <Stream.h>
#include <XRef.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

namespace {

/// A larger or deeper tree was made only to keep the program busy.
constexpr size_t mostKids = 40000, mostLevels = 100;

class Bytes final : public OutStream {
public:
    std::vector<char> all;

    void close() override {}
    Goffset getPos() override { return static_cast<Goffset>(all.size()); }
    void put(char byte) override { all.push_back(byte); }
    /// Not marked as an override, because only newer versions of poppler have this function.
    virtual size_t write(std::span<unsigned char> data)
    {
        all.insert(all.end(), data.begin(), data.end());
        return data.size();
    }

    void printf(const char *format, ...) override
    {
        va_list arguments, again;
        va_start(arguments, format);
        va_copy(again, arguments);
        std::vector<char> text(static_cast<size_t>(std::max(0, vsnprintf(nullptr, 0, format, arguments))) + 1);
        vsnprintf(text.data(), text.size(), format, again);
        va_end(again);
        va_end(arguments);
        all.insert(all.end(), text.begin(), text.end() - 1);
    }
};

struct Node;

/// An entry of a branch: a page (by reference or directly) or another branch. Both members are empty if it is neither.
struct Kid {
    Object page;
    std::unique_ptr<Node> node;
};

struct Node {
    Object dict;
    std::vector<Kid> kids;
};

class Tree {
public:
    explicit Tree(PDFDoc &document) : xref(document.getXRef()) {}

    int pages = 0;
    int holes = 0;
    /// The numbers, in the rewritten tree, of the empty pages (holes) that stand for kids that are not pages.
    std::vector<int> missing;

    /// Reads a branch; false if the tree cannot be used.
    bool read(const Object &named, Object &&dict, Node &node)
    {
        above.push_back(named.isRef() ? named.getRef() : Ref::INVALID());
        const Object kids = dict.dictLookup("Kids");
        node.dict = std::move(dict);
        if (!kids.isArray()) {
            node.kids.emplace_back();
            ++holes;
            above.pop_back();
            return true;
        }
        for (int index = 0; index < kids.arrayGetLength(); ++index) {
            if (++kidsSeen > mostKids) {
                return false;
            }
            const Object &named = kids.arrayGetNF(index);
            Object kid = kids.arrayGet(index);
            const bool isLoop = named.isRef() && std::find(above.begin(), above.end(), named.getRef()) != above.end();
            if (!isLoop && kid.isDict() && !kid.isDict("Page") && kid.getDict()->hasKey("Kids")) {
                if (above.size() >= mostLevels) {
                    return false;
                }
                auto branch = std::make_unique<Node>();
                if (!read(named, std::move(kid), *branch)) {
                    return false;
                }
                node.kids.push_back({Object(), std::move(branch)});
            } else if (!isLoop && isWhole(kid)) {
                node.kids.push_back({named.isRef() ? named.copy() : std::move(kid), nullptr});
                ++pages;
            } else {
                node.kids.emplace_back();
                ++holes;
            }
        }
        above.pop_back();
        return true;
    }

    /// Writes a branch, with at most this many holes in the whole tree, as an object of its own.
    Ref write(Node &node, int mostHoles)
    {
        const int before = place;
        auto kids = std::make_unique<Array>(xref);
        for (Kid &kid : node.kids) {
            if (kid.node) {
                kids->add(Object(write(*kid.node, mostHoles)));
            } else if (!kid.page.isNone()) {
                ++place;
                kids->add(kid.page.isRef() ? std::move(kid.page) : Object(xref->addIndirectObject(kid.page)));
            } else if (static_cast<int>(missing.size()) < mostHoles) {
                missing.push_back(place++);
                kids->add(Object(hole()));
            }
        }
        Object dict(node.dict.getDict()->copy(xref));
        dict.dictSet("Type", Object(objName, "Pages"));
        dict.dictSet("Kids", Object(kids.release()));
        dict.dictSet("Count", Object(place - before));
        return xref->addIndirectObject(dict);
    }

    XRef *const xref;

private:
    /// Whether poppler will accept `kid` as a page.
    static bool isWhole(const Object &kid)
    {
        const auto isMissingOr = [&](const char *key) {
            const Object &value = kid.dictLookupNF(key);
            return value.isRef() || value.isArray() || value.isNull();
        };
        return kid.isDict() && isMissingOr("Annots") && isMissingOr("Contents");
    }

    Ref hole()
    {
        auto box = std::make_unique<Array>(xref);
        for (const int side : {0, 0, 1, 1}) {
            box->add(Object(side));
        }
        Object page(new Dict(xref));
        page.dictSet("Type", Object(objName, "Page"));
        page.dictSet("MediaBox", Object(box.release()));
        return xref->addIndirectObject(page);
    }

    std::vector<Ref> above;
    size_t kidsSeen = 0;
    int place = 0;
};

} // namespace

struct woodshed_pages {
    Bytes bytes;
    std::vector<int> missing;
    int count = 0, claimed = 0;
};

void woodshed_request_page_after(void *page, void *document, int index)
{
    const scans::PopplerPage *const object = scans::inside(page, document, index);
    if (object != nullptr && object->page != nullptr) {
        object->page->getDoc()->getCatalog()->getPage(index + 2);
    }
}

int woodshed_page_lacks_content(void *page, void *document, int index)
{
    const scans::PopplerPage *const object = scans::inside(page, document, index);
    if (object == nullptr || object->page == nullptr) {
        return 0;
    }
    PDFDoc *const whole = object->page->getDoc();
    const Ref *const ref = whole->getCatalog()->getPageRef(index + 1);
    if (ref == nullptr) {
        return 0;
    }
    const Object dict = whole->getXRef()->fetch(*ref);
    return dict.isDict() && dict.dictLookupNF("Contents").isRef() && object->page->getContents().isNull();
}

woodshed_pages *woodshed_pages_mend(const void *bytes, size_t count, int readable)
{
    try {
        auto stream = std::make_unique<MemStream>(static_cast<const char *>(bytes), 0, static_cast<Goffset>(count), Object(objNull));
        bool isTableLost = false;
        PDFDoc document = scans::open<PDFDoc>(std::move(stream), [&isTableLost] { isTableLost = true; });
        if (!document.isOk()) {
            return nullptr;
        }
        Tree tree(document);
        Object catalog = tree.xref->getCatalog();
        Object top = catalog.isDict() ? catalog.dictLookup("Pages") : Object(objNull);
        Node root;
        if (!top.isDict() || top.isDict("Page")) {
            return nullptr;
        }
        const Object claimed = top.dictLookup("Count");
        auto mended = std::make_unique<woodshed_pages>();
        mended->claimed = claimed.isNum() ? static_cast<int>(std::clamp(claimed.getNum(), 0.0, 1e9)) : 0;
        if (!tree.read(catalog.dictLookupNF("Pages"), std::move(top), root) || tree.pages <= readable) {
            return nullptr;
        }
        // Read all entries of the table now: reading them later might start a search that would lose all changes.
        for (int number = 0; number < tree.xref->getNumObjects(); ++number) {
            tree.xref->getEntry(number, false);
        }
        const int holes = mended->claimed == 0 ? tree.holes : std::clamp(mended->claimed - tree.pages, 0, tree.holes);
        catalog.dictSet("Pages", Object(tree.write(root, holes)));
        tree.xref->setModifiedObject(&catalog, tree.xref->getRoot());
        // Append a few objects at the end, unless there is no table that could refer to them.
        if (document.saveAs(&mended->bytes, isTableLost ? writeForceRewrite : writeForceIncremental) != errNone) {
            return nullptr;
        }
        mended->missing = std::move(tree.missing);
        mended->count = tree.pages + holes;
        return mended.release();
    } catch (...) {
        return nullptr;
    }
}

const void *woodshed_pages_bytes(const woodshed_pages *pages, size_t *count)
{
    *count = pages->bytes.all.size();
    return pages->bytes.all.data();
}

int woodshed_pages_count(const woodshed_pages *pages) { return pages->count; }
int woodshed_pages_claimed(const woodshed_pages *pages) { return pages->claimed; }
size_t woodshed_pages_missing_count(const woodshed_pages *pages) { return pages->missing.size(); }
int woodshed_pages_missing(const woodshed_pages *pages, size_t index) { return pages->missing[index]; }
void woodshed_pages_close(woodshed_pages *pages) { delete pages; }

#endif
