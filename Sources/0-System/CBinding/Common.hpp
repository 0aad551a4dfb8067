#pragma once
#include "CBinding.h"

// Of its pointers, only those of the standard library.
#define POINTERHOLDER_TRANSITION 4
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFPageObjectHelper.hh>
#include <qpdf/QPDFWriter.hh>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace binding {

/// Does work, and returns `failed` if it throws.
template<typename Result, typename Work>
Result guarded(woodshed_why *why, Result failed, Work work) noexcept
{
    try {
        return work();
    } catch (const QPDFExc &error) {
        why->isLocked = error.getErrorCode() == qpdf_e_password;
        snprintf(why->text, sizeof why->text, "%s", error.getMessageDetail().c_str());
    } catch (const std::exception &error) {
        snprintf(why->text, sizeof why->text, "%s", error.what());
    } catch (...) {
        snprintf(why->text, sizeof why->text, "unknown error");
    }
    return failed;
}

inline std::shared_ptr<QPDF> open(const void *bytes, size_t count)
{
    auto pdf = QPDF::create();
    // Whoever is to be told is told once, by whoever asked for it.
    pdf->setSuppressWarnings(true);
    pdf->processMemoryFile("chart", static_cast<const char *>(bytes), count);
    return pdf;
}

/// A page of a part that is open; throws if there is none.
QPDFPageObjectHelper &page(woodshed_part *part, int number);

/// Writes to an open file, from where that stands. The same PDF always gives the same bytes.
inline void write(QPDF &pdf, int descriptor, bool packs)
{
    const int own = dup(descriptor);
    std::unique_ptr<FILE, int (*)(FILE *)> file(own < 0 ? nullptr : fdopen(own, "r+"), fclose);
    if (!file) {
        throw std::runtime_error("the file cannot be written to");
    }
    QPDFWriter writer(pdf);
    writer.setOutputFile("export", file.get(), false);
    // Whoever can open it may play from it: a tablet would ask for the password of the owner, which nobody here has.
    writer.setPreserveEncryption(false);
    writer.setStreamDataMode(qpdf_s_preserve);
    if (packs) {
        writer.setObjectStreamMode(qpdf_o_generate);
    }
    writer.setDeterministicID(true);
    writer.write();
    // The library does not ask whether the last bytes found room.
    if (fflush(file.get()) != 0 || ferror(file.get())) {
        const int cause = errno;
        file.reset();
        errno = cause;
        throw std::runtime_error("the file cannot be written to");
    }
}

} // namespace binding
