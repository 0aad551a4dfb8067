// poppler draws a page of a PDF as a separate picture, and lays the complete picture on paper. Painting the page directly on white paper
// saves that step, and gives the same result unless something painted depends on what is below it. Blend modes depend on it, except for two
// that give the same result on white paper as on none, even over something half transparent: Normal, and Multiply, which is linear and
// leaves a colour on white unchanged. (Darken also leaves a colour on white unchanged, but is not linear: over something half transparent,
// the result differs.) A knockout group depends on it, too: poppler clears what is below the group, which makes black holes on paper,
// because paper cannot be transparent.
#include "KnownPoppler.hpp"
#if WOODSHED_KNOWS_POPPLER
#include "CScans.h"
#include "PopplerPage.hpp"

#include <Object.h>
#include <PDFDoc.h>
#include <Page.h>

#include <set>
#include <vector>

namespace {

/// Searches everything that a page can name, even if its content does not use it: that takes a hundredth of the time for drawing.
class Search {
public:
    explicit Search(Page *page) : page(page) {}

    bool findsWhatAsksForPaper()
    {
        queue(*page->getResourceDictObject());
        searchAnnotations();
        while (!isFound && !resources.empty()) {
            const Object next = std::move(resources.back());
            resources.pop_back();
            search(next);
        }
        return isFound;
    }

private:
    Page *const page;
    /// Resources that have not been searched yet.
    std::vector<Object> resources;
    /// The objects found so far, so that an object that refers to itself is searched only once.
    std::set<Ref> met;
    int objects = 0;
    bool isFound = false;

    /// A longer search would take more time than laying the page on paper afterwards, which is right for every page.
    static constexpr int mostObjects = 1000;

    /// The object that is named. Null for a reference that was followed before, and once the search is over.
    Object follow(const Object &object)
    {
        if (object.isRef() && !met.insert(object.getRef()).second) {
            return Object(objNull);
        }
        isFound = isFound || ++objects > mostObjects;
        return isFound ? Object(objNull) : object.fetch(page->getDoc()->getXRef());
    }

    template<typename Body>
    void each(const Object &object, Body body)
    {
        if (object.isDict()) {
            for (int index = 0; !isFound && index < object.getDict()->getLength(); ++index) {
                body(follow(object.getDict()->getValNF(index)));
            }
        }
    }

    void queue(const Object &object)
    {
        Object next = follow(object);
        if (next.isDict()) {
            resources.push_back(std::move(next));
        }
    }

    void searchAnnotations()
    {
        const Object annotations = page->getAnnotsObject();
        for (int index = 0; !isFound && annotations.isArray() && index < annotations.arrayGetLength(); ++index) {
            const Object annotation = follow(annotations.arrayGetNF(index));
            const Object appearances = annotation.isDict() ? follow(annotation.dictLookupNF("AP")) : Object(objNull);
            const Object normal = appearances.isDict() ? follow(appearances.dictLookupNF("N")) : Object(objNull);
            searchForm(normal);
            // Instead of one appearance, the annotation may have an appearance for each of its states.
            each(normal, [this](const Object &state) { searchForm(state); });
        }
    }

    void search(const Object &names)
    {
        each(follow(names.dictLookupNF("ExtGState")), [this](const Object &state) { searchState(state); });
        each(follow(names.dictLookupNF("XObject")), [this](const Object &object) { searchForm(object); });
        // Tiling patterns, and fonts whose letters are drawings, have their own resources.
        each(follow(names.dictLookupNF("Pattern")), [this](const Object &pattern) { searchForm(pattern); });
        each(follow(names.dictLookupNF("Font")), [this](const Object &font) {
            if (font.isDict()) {
                queue(font.dictLookupNF("Resources"));
            }
        });
    }

    /// Examines a graphics state: its blend mode, and the group that it uses as a mask.
    void searchState(const Object &state)
    {
        if (!state.isDict()) {
            return;
        }
        const Object mode = state.dictLookup("BM");
        // In a list, the first known mode counts. Only poppler knows which that is, so examine all of them.
        const int count = mode.isArray() ? mode.arrayGetLength() : 0;
        for (int index = 0; !isFound && index < count; ++index) {
            isFound = asksForPaper(mode.arrayGet(index));
        }
        isFound = isFound || asksForPaper(mode);
        const Object mask = follow(state.dictLookupNF("SMask"));
        if (mask.isDict()) {
            searchForm(follow(mask.dictLookupNF("G")));
        }
    }

    void searchForm(const Object &form)
    {
        if (!form.isStream()) {
            return;
        }
        const Object group = form.streamGetDict()->lookup("Group");
        const Object isKnockout = group.isDict() ? group.dictLookup("K") : Object(objNull);
        isFound = isFound || (isKnockout.isBool() && isKnockout.getBool());
        queue(form.streamGetDict()->lookupNF("Resources"));
    }

    static bool asksForPaper(const Object &mode)
    {
        return mode.isName() && !mode.isName("Normal") && !mode.isName("Compatible") && !mode.isName("Multiply");
    }
};

} // namespace

int woodshed_page_asks_for_paper(void *page, void *document, int index)
{
    scans::PopplerPage *const object = scans::inside(page, document, index);
    if (object == nullptr) {
        return 1;
    }
    try {
        return Search(object->page).findsWhatAsksForPaper() ? 1 : 0;
    } catch (...) {
        return 1;
    }
}

#endif
