#include "CTagLib.h"

#include <algorithm>
#include <array>
#include <string>
#include <taglib/apefooter.h>
#include <taglib/id3v1genres.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4file.h>
#include <taglib/oggfile.h>
#include <taglib/taglib.h>
#include <taglib/tdebuglistener.h>
#include <taglib/textidentificationframe.h>
#include <taglib/tiostream.h>
#include <vector>

namespace {

using TagLib::ByteVector;
using TagLib::String;
using TagLib::StringList;

#if TAGLIB_MAJOR_VERSION >= 2
using Offset = TagLib::offset_t;
using Count = size_t;
using Start = TagLib::offset_t;
#else
using Offset = long;
using Count = unsigned long;
using Start = unsigned long;
#endif

// The number of bytes that are read for one tag, and the number that a shorter read counts: TagLib keeps an object for each page of Ogg.
const Count bytesLimit = 4 << 20, shortest = 128;
// The largest text, in bytes or in TagLib's characters.
const unsigned textLimit = 64 << 10;
// The number of values of a tag.
const unsigned fieldLimit = 1024;

// Passes on the values of a tag's fields.
class Fields final {
public:
    explicit Fields(const CTagLib_Medium &medium) : medium(medium) {}

    void add(const ByteVector &name, const ByteVector &value) {
        if (left == 0 || value.isEmpty() || value.size() > textLimit || name.size() > textLimit) return;
        left--;
        medium.field(medium.context, std::string(name.data(), name.size()).c_str(), std::string(value.data(), value.size()).c_str());
    }
    void add(const String &name, const String &value) {
        if (value.size() <= textLimit && name.size() <= textLimit) add(name.data(String::UTF8), value.data(String::UTF8));
    }
    void add(const String &name, const StringList &values) {
        for (const auto &value : values) add(name, value);
    }

private:
    const CTagLib_Medium &medium;
    unsigned left = fieldLimit;
};

// The bytes of the medium, which cannot be written.
class Stream final : public TagLib::IOStream {
public:
    explicit Stream(const CTagLib_Medium &medium) : medium(medium) {}

    ByteVector readBlock(Count count) override {
        if (position >= medium.length) return ByteVector();
        count = std::min({count, left, static_cast<Count>(medium.length - position)});
        ByteVector block(static_cast<unsigned>(count), 0);
        Count filled = 0;
        while (filled < count) {
            const long read = medium.read(
                medium.context, position, reinterpret_cast<unsigned char *>(block.data()) + filled, static_cast<long>(count - filled));
            if (read <= 0) break;
            filled += static_cast<Count>(read);
            position += read;
        }
        left -= std::min(left, std::max(filled, shortest));
        block.resize(static_cast<unsigned>(filled));
        return block;
    }
    void seek(Offset offset, Position origin = Beginning) override {
        const long long base = origin == Beginning ? 0 : origin == Current ? position : medium.length;
        long long sum;
        position = __builtin_add_overflow(base, static_cast<long long>(offset), &sum) ? medium.length : std::max(0LL, sum);
    }
    Offset tell() const override { return static_cast<Offset>(position); }
    Offset length() override { return static_cast<Offset>(medium.length); }
    bool isOpen() const override { return true; }
    bool readOnly() const override { return true; }
    TagLib::FileName name() const override { return ""; }
    void writeBlock(const ByteVector &) override {}
    void insert(const ByteVector &, Start, Count) override {}
    void removeBlock(Start, Count) override {}
    void truncate(Offset) override {}

private:
    const CTagLib_Medium &medium;
    Count left = bytesLimit;
    long long position = 0;
};

// A file of which only one tag is read.
template <class Base> class Part final : public Base {
public:
    explicit Part(Stream &stream) : Base(&stream) {}
    TagLib::Tag *tag() const override { return nullptr; }
    TagLib::AudioProperties *audioProperties() const override { return nullptr; }
    bool save() override { return false; }
};

class Silence final : public TagLib::DebugListener {
public:
    void printMessage(const String &) override {}
};

// Returns the genre of a text, which may be a number of ID3v1, a remix or a cover (ID3v2.4 frames, section 4.2.3).
String genre(const String &text) {
    bool isNumber = false;
    const int number = text.toInt(&isNumber);
    if (!isNumber) return text == "RX" ? "Remix" : text == "CR" ? "Cover" : text;
    const String name = number < 256 ? TagLib::ID3v1::genre(number) : String();
    return name.isEmpty() ? text : name;
}

void readID3v2(Stream &stream, Offset offset, Fields &fields) {
    Part<TagLib::File> file(stream);
    const TagLib::ID3v2::Tag tag(&file, offset);
    for (const TagLib::ID3v2::Frame *frame : tag.frameList()) {
        const auto *text = dynamic_cast<const TagLib::ID3v2::TextIdentificationFrame *>(frame);
        if (!text) continue;
        const String name(text->frameID(), String::Latin1);
        StringList values = text->fieldList();
        if (const auto *own = dynamic_cast<const TagLib::ID3v2::UserTextIdentificationFrame *>(text)) {
            // The first value is the description.
            if (values.size() < 2) continue;
            values.erase(values.begin());
            fields.add(name + ":" + own->description(), values);
        } else if (name == "TCON") {
            for (const auto &value : values) fields.add(name, genre(value));
        } else {
            fields.add(name, values);
        }
    }
}

void readAPE(Stream &stream, Offset offset, Fields &fields) {
    stream.seek(offset);
    const TagLib::APE::Footer footer(stream.readBlock(TagLib::APE::Footer::size()));
    // The size includes the footer.
    const Offset end = offset, size = static_cast<Offset>(footer.tagSize()), footerSize = static_cast<Offset>(TagLib::APE::Footer::size());
    if (size <= footerSize || size > end + footerSize) return;
    Offset at = end + footerSize - size;
    for (unsigned left = footer.itemCount(); left > 0 && at < end; left--) {
        // An item is a head of 8 bytes, a name of at most 255 bytes, a zero, and the value.
        stream.seek(at);
        const ByteVector head = stream.readBlock(static_cast<Count>(std::min<Offset>(8 + 256, end - at)));
        const int zero = head.size() > 8 ? head.find('\0', 8) : -1;
        if (zero < 0) return;
        const Offset start = at + zero + 1, length = static_cast<Offset>(head.toUInt(0, false));
        if (length > end - start) return;
        at = start + length;
        // The value of an item that is no text is not read.
        if (length > textLimit || (head.toUInt(4, false) & 6) != 0) continue;
        stream.seek(start);
        const ByteVector name = head.mid(8, zero - 8), values = stream.readBlock(static_cast<Count>(length));
        if (static_cast<Offset>(values.size()) != length) return;
        for (unsigned from = 0; from < values.size();) {
            const int separator = values.find('\0', from);
            const unsigned until = separator < 0 ? values.size() : separator;
            fields.add(name, values.mid(from, until - from));
            from = until + 1;
        }
    }
}

// Passes on Vorbis comments (Vorbis I, section 5.2.1). A block that is cut is left to FFmpeg, which may have all values of a field.
void readComments(const ByteVector &block, Fields &fields) {
    unsigned at = 0;
    // Reads a text, which follows its size. Returns false if the block ends before.
    const auto read = [&](ByteVector &text) {
        if (block.size() - at < 4) return false;
        const unsigned size = block.toUInt(at, false);
        at += 4;
        if (size > block.size() - at) return false;
        text = block.mid(at, size);
        at += size;
        return true;
    };
    ByteVector program;
    if (!read(program) || block.size() - at < 4) return;
    const unsigned count = block.toUInt(at, false);
    at += 4;
    if (count > fieldLimit) return;
    std::vector<ByteVector> comments(count);
    for (auto &comment : comments) {
        if (!read(comment)) return;
    }
    for (const auto &comment : comments) {
        const int equals = comment.find('=');
        if (equals > 0) fields.add(comment.mid(0, equals), comment.mid(equals + 1));
    }
}

void readOgg(Stream &stream, Fields &fields) {
    Part<TagLib::Ogg::File> file(stream);
    const ByteVector packet = file.packet(1);
    unsigned head = 0;
    if (packet.startsWith(ByteVector("\3vorbis"))) {
        head = 7;
    } else if (packet.startsWith(ByteVector("OpusTags"))) {
        head = 8;
    } else if (file.packet(0).startsWith(ByteVector("\177FLAC"))) {
        // The packet is a block of metadata of FLAC.
        head = 4;
    } else if (!file.packet(0).startsWith(ByteVector("Speex   "))) {
        return;
    }
    readComments(packet.mid(head), fields);
}

void readMP4(Stream &stream, Fields &fields) {
    TagLib::MP4::File file(&stream, false);
    if (!file.isValid() || !file.tag()) return;
    for (const auto &item : file.tag()->itemMap()) fields.add(item.first, item.second.toStringList());
}

} // namespace

void CTagLib_read(CTagLib_Kind kind, long long offset, const CTagLib_Medium *medium) {
    // The object is not deleted when the process ends, because another thread may read then.
    static Silence *const silence = new Silence;
    static const bool isSilent = [] {
        TagLib::setDebugListener(silence);
        return true;
    }();
    (void)isSilent;
    try {
        Stream stream(*medium);
        Fields fields(*medium);
        const auto start = static_cast<Offset>(offset);
        switch (kind) {
        case CTagLib_id3v2: return readID3v2(stream, start, fields);
        case CTagLib_ape: return readAPE(stream, start, fields);
        case CTagLib_comments:
            stream.seek(start);
            return readComments(stream.readBlock(static_cast<Count>(std::max(0LL, medium->length - offset))), fields);
        case CTagLib_ogg: return readOgg(stream, fields);
        case CTagLib_mp4: return readMP4(stream, fields);
        }
    } catch (...) {
        // What has been read so far is valid.
    }
}

const char *CTagLib_genre(unsigned char number) {
    // The names are not deleted when the process ends, because another thread may read then.
    static const auto *const names = [] {
        auto *names = new std::array<std::string, 256>;
        for (int number = 0; number < 256; number++) (*names)[number] = TagLib::ID3v1::genre(number).to8Bit(true);
        return names;
    }();
    return (*names)[number].c_str();
}
