// Binds several charts' PDFs into one: pages with all that belongs to them, form fields, layers that can be hidden, and bookmarks.
#include "Common.hpp"

#include <qpdf/QPDFAcroFormDocumentHelper.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFPageObjectHelper.hh>

#include <algorithm>
#include <string>
#include <vector>

namespace {

struct Taken {
    std::shared_ptr<QPDF> pdf;
    std::unique_ptr<QPDFAcroFormDocumentHelper> fields;
    std::vector<QPDFPageObjectHelper> pages;
    bool wasAdded = false;
};

struct Bookmark {
    int level;
    std::string title;
    size_t page;
};

} // namespace

struct woodshed_binding {
    std::shared_ptr<QPDF> pdf = QPDF::create();
    std::unique_ptr<QPDFAcroFormDocumentHelper> fields;
    std::vector<Taken> taken;
    std::vector<Bookmark> bookmarks;

    woodshed_binding()
    {
        pdf->setSuppressWarnings(true);
        pdf->emptyPDF();
        fields = std::make_unique<QPDFAcroFormDocumentHelper>(*pdf);
    }

    int add(int number, const int *wanted, size_t count)
    {
        auto &from = taken.at(static_cast<size_t>(number));
        count = wanted ? count : from.pages.size();
        for (size_t place = 0; place < count; place++) {
            auto &page = from.pages.at(wanted ? static_cast<size_t>(wanted[place]) : place);
            pdf->addPage(page.getObjectHandle(), false);
            if (from.fields->hasAcroForm()) {
                fields->fixCopiedAnnotations(pdf->getAllPages().back(), page.getObjectHandle(), *from.fields);
            }
        }
        if (!from.wasAdded) {
            addOptionalContent(*from.pdf);
        }
        from.wasAdded = true;
        return static_cast<int>(count);
    }

    /// Copies the list of the contents that can be shown and hidden into the bound PDF, which has only one such list for all its parts.
    /// Without the list, all these contents would be shown.
    void addOptionalContent(QPDF &from)
    {
        auto theirs = from.getRoot().getKey("/OCProperties");
        if (!theirs.isDictionary()) {
            return;
        }
        auto copy = pdf->copyForeignObject(theirs.isIndirect() ? theirs : from.makeIndirectObject(theirs));
        auto ours = pdf->getRoot().getKey("/OCProperties");
        if (!ours.isDictionary()) {
            pdf->getRoot().replaceKey("/OCProperties", copy);
            return;
        }
        append(ours, copy, "/OCGs");
        auto settings = ours.getKey("/D"), theirSettings = copy.getKey("/D");
        if (settings.isDictionary() && theirSettings.isDictionary()) {
            for (const char *key : {"/ON", "/OFF", "/Order", "/RBGroups", "/Locked", "/AS"}) {
                append(settings, theirSettings, key);
            }
        }
    }

    static void append(QPDFObjectHandle to, QPDFObjectHandle from, const std::string &key)
    {
        auto more = from.getKey(key);
        if (!more.isArray()) {
            return;
        }
        if (!to.getKey(key).isArray()) {
            to.replaceKey(key, QPDFObjectHandle::newArray());
        }
        auto list = to.getKey(key);
        for (auto item : more.getArrayAsVector()) {
            list.appendItem(item);
        }
    }

    void writeBookmarks()
    {
        const auto &pages = pdf->getAllPages();
        auto root = pdf->makeIndirectObject(QPDFObjectHandle::parse("<< /Type /Outlines >>"));
        std::vector<QPDFObjectHandle> open{root};
        for (const auto &bookmark : bookmarks) {
            // Skip a bookmark after the last page: there is no page that it could lead to.
            if (bookmark.page >= pages.size()) {
                continue;
            }
            while (open.size() > 1 && open.size() > static_cast<size_t>(bookmark.level) + 1) {
                open.pop_back();
            }
            auto parent = open.back();
            auto item = pdf->makeIndirectObject(QPDFObjectHandle::newDictionary());
            item.replaceKey("/Title", QPDFObjectHandle::newUnicodeString(bookmark.title));
            item.replaceKey("/Parent", parent);
            auto place = QPDFObjectHandle::newArray();
            place.appendItem(pages.at(bookmark.page));
            place.appendItem(QPDFObjectHandle::newName("/Fit"));
            item.replaceKey("/Dest", place);
            if (parent.hasKey("/Last")) {
                item.replaceKey("/Prev", parent.getKey("/Last"));
                parent.getKey("/Last").replaceKey("/Next", item);
            } else {
                parent.replaceKey("/First", item);
            }
            parent.replaceKey("/Last", item);
            for (auto &above : open) {
                const auto count = above.hasKey("/Count") ? above.getKey("/Count").getIntValue() : 0;
                above.replaceKey("/Count", QPDFObjectHandle::newInteger(count + 1));
            }
            open.push_back(item);
        }
        if (root.hasKey("/First")) {
            pdf->getRoot().replaceKey("/Outlines", root);
            pdf->getRoot().replaceKey("/PageMode", QPDFObjectHandle::newName("/UseOutlines"));
        }
    }
};

woodshed_binding *woodshed_binding_open(woodshed_why *why)
{
    return binding::guarded<woodshed_binding *>(why, nullptr, [&] { return new woodshed_binding; });
}

void woodshed_binding_close(woodshed_binding *binding) { delete binding; }

int woodshed_binding_read(woodshed_binding *binding, const void *bytes, size_t count, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        Taken taken;
        taken.pdf = binding::open(bytes, count);
        taken.fields = std::make_unique<QPDFAcroFormDocumentHelper>(*taken.pdf);
        QPDFPageDocumentHelper helper(*taken.pdf);
        helper.pushInheritedAttributesToPage();
        taken.pages = helper.getAllPages();
        binding->taken.push_back(std::move(taken));
        return static_cast<int>(binding->taken.size()) - 1;
    });
}

int woodshed_binding_add(woodshed_binding *binding, int number, const int *pages, size_t count, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] { return binding->add(number, pages, count); });
}

int woodshed_binding_mark(woodshed_binding *binding, int level, const char *title, int page, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        binding->bookmarks.push_back({level, title, static_cast<size_t>(std::max(page, 0))});
        return 0;
    });
}

int woodshed_binding_write(woodshed_binding *binding, const char *title, int descriptor, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        binding->writeBookmarks();
        auto facts = QPDFObjectHandle::newDictionary();
        facts.replaceKey("/Title", QPDFObjectHandle::newUnicodeString(title));
        binding->pdf->getTrailer().replaceKey("/Info", binding->pdf->makeIndirectObject(facts));
        binding::write(*binding->pdf, descriptor, true);
        return 0;
    });
}
