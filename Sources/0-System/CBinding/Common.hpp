#pragma once
#include "CBinding.h"

// Has qpdf use only the standard library's smart pointers.
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

/// Returns the result of `work`. If `work` throws, returns `failed`, and the reason is in `why`.
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
    // Callers report the damage themselves, so qpdf must not print it as well.
    pdf->setSuppressWarnings(true);
    pdf->processMemoryFile("chart", static_cast<const char *>(bytes), count);
    return pdf;
}

/// A page of an open part; throws if there is no such page.
QPDFPageObjectHelper &page(woodshed_part *part, int number);

/// Writes the PDF to an open file, from the current position. The same PDF always gives the same bytes.
inline void write(QPDF &pdf, int descriptor, bool packs)
{
    const int own = dup(descriptor);
    std::unique_ptr<FILE, int (*)(FILE *)> file(own < 0 ? nullptr : fdopen(own, "r+"), fclose);
    if (!file) {
        throw std::runtime_error("the file cannot be written to");
    }
    QPDFWriter writer(pdf);
    writer.setOutputFile("export", file.get(), false);
    // Drop the encryption, since anybody who can open the PDF may play from it, and a tablet would demand the owner's password.
    writer.setPreserveEncryption(false);
    writer.setStreamDataMode(qpdf_s_preserve);
    if (packs) {
        writer.setObjectStreamMode(qpdf_o_generate);
    }
    writer.setDeterministicID(true);
    writer.write();
    // qpdf does not check whether the last bytes could be written, so check it here.
    if (fflush(file.get()) != 0 || ferror(file.get())) {
        const int cause = errno;
        file.reset();
        errno = cause;
        throw std::runtime_error("the file cannot be written to");
    }
}

} // namespace binding
