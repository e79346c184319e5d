import { constants, deflateRawSync } from 'node:zlib';
import type { WebSocket } from 'ws';

/** A connection as the gateway writes to it: each text goes out packed as the client asked for. */
export type Wire = {
  send(text: string): void;
  close(code: number): void;
  terminate(): void;
  isOpen(): boolean;
};

type Packing = (text: string) => string | Buffer;

/** What a client may ask for with `compress`. */
const PACKINGS: Record<string, () => Packing> = {
  'zlib-stream': zlibStream,
  'zstd-stream': zstdStream,
};

/** undefined when the client asks for a packing that Discord does not have. */
export function openWire(socket: WebSocket, compress: string | null): Wire | undefined {
  const open = compress === null ? () => (text: string) => text : PACKINGS[compress];
  if (open === undefined) return undefined;
  const pack = open();
  return {
    send: (text) => socket.send(pack(text)),
    close: (code) => socket.close(code),
    terminate: () => socket.terminate(),
    isOpen: () => socket.readyState === socket.OPEN,
  };
}

/** One stream for the whole connection, of which each message ends with 00 00 FF FF. */
function zlibStream(): Packing {
  const header = Buffer.from([0x78, 0x9c]);
  let begun = false;
  return (text) => {
    const block = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
    const packed = begun ? block : Buffer.concat([header, block]);
    begun = true;
    return packed;
  };
}

/** The longest block that Zstandard's format (RFC 8878) allows. */
const ZSTD_BLOCK_BYTES = 128 * 1024;

/**
 * One frame without an end, of raw blocks: Node 20 cannot compress with Zstandard, and a client cannot tell.
 */
function zstdStream(): Packing {
  // The magic number, no size of the content, a window of 2 MB.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
  let begun = false;
  return (text) => {
    const bytes = Buffer.from(text);
    const parts: Buffer[] = begun ? [] : [header];
    begun = true;
    for (let at = 0; at < bytes.length; at += ZSTD_BLOCK_BYTES) {
      const block = bytes.subarray(at, at + ZSTD_BLOCK_BYTES);
      const size = Buffer.alloc(3);
      size.writeUIntLE(block.length << 3, 0, 3);
      parts.push(size, block);
    }
    return Buffer.concat(parts);
  };
}
