// Decodes files: UTF-8, UTF-16 with a byte order mark, and Windows-1252 for words that are not
// valid UTF-8. Old collections mix encodings.

const utf8 = new TextDecoder("utf-8", { fatal: true })
const windows1252 = new TextDecoder("windows-1252")

/** Returns the UTF-16 encoding that a byte order mark indicates; null for any other start. */
const markedEncoding = ([first, second]: Uint8Array): string | null =>
    first === 0xff && second === 0xfe
        ? "utf-16le"
        : first === 0xfe && second === 0xff
          ? "utf-16be"
          : null

const isBlank = (byte: number) => byte <= 32

function decodeWord(bytes: Uint8Array, decoder: TextDecoder): string {
    try {
        return decoder.decode(bytes)
    } catch {
        return windows1252.decode(bytes)
    }
}

/** Decodes text and drops its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
    const encoding = markedEncoding(bytes)
    if (encoding) return new TextDecoder(encoding).decode(bytes)
    try {
        return utf8.decode(bytes)
    } catch {
        const words: string[] = []
        for (let from = 0, to = 0; from < bytes.length; from = to) {
            while (to < bytes.length && isBlank(bytes[to] ?? 0)) to += 1
            while (to < bytes.length && !isBlank(bytes[to] ?? 0)) to += 1
            words.push(decodeWord(bytes.subarray(from, to), utf8))
        }
        return words.join("")
    }
}

/** Converts a UTF-16 file to UTF-8, and returns any other file unchanged. */
export async function withoutUtf16(file: File): Promise<File> {
    const start = new Uint8Array(await file.slice(0, 2).arrayBuffer())
    return markedEncoding(start) ? new File([decodeText(await bytesOf(file))], file.name) : file
}

export const bytesOf = async (blob: Blob): Promise<Uint8Array> =>
    new Uint8Array(await blob.arrayBuffer())
