// poppler's C++ classes change from version to version. This file alone handles the differences between 22.12 and 25.03.
#pragma once
#include <PDFDoc.h>
#include <Stream.h>

#include <functional>
#include <memory>
#include <type_traits>

namespace scans {

/// Restarts a stream. A failure leaves the stream empty, so there is no need to check for one.
template <typename Any> void begin(Any *stream)
{
    if constexpr (requires { stream->rewind(); }) {
        (void)stream->rewind();
    } else {
        (void)stream->reset();
    }
}

/// Opens a document, and calls `rebuilt` if its table had to be reconstructed.
template <typename Document> Document open(std::unique_ptr<BaseStream> stream, const std::function<void()> &rebuilt)
{
    using Password = std::optional<GooString>;
    using Call = const std::function<void()> &;
    if constexpr (std::is_constructible_v<Document, BaseStream *, Password, Password, void *, Call>) {
        return Document(stream.release(), Password(), Password(), nullptr, rebuilt);
    } else if constexpr (std::is_constructible_v<Document, BaseStream *, Password, Password, Call>) {
        return Document(stream.release(), Password(), Password(), rebuilt);
    } else {
        return Document(std::move(stream), Password(), Password(), rebuilt);
    }
}

} // namespace scans
