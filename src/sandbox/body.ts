// The body of an arriving request as text, up to the limit. Refuses what is longer or is not UTF-8.

import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from './input.ts';
import { type Refusal, refusal } from './refusal.ts';

/** Resolves with the text, or with a refusal: 413 over 1 MiB (the rest stays unread), 400 not UTF-8. Rejects when the client goes. */
export function readBody(request: IncomingMessage): Promise<string | Refusal> {
  const tooLarge = refusal(413, 'body_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    return Promise.resolve(tooLarge);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(tooLarge);
    });
    request.on('end', () => resolve(decoded(Buffer.concat(chunks))));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client has gone')));
  });
}

function decoded(bytes: Buffer): string | Refusal {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refusal(400, 'malformed_json', 'The body is not UTF-8.');
  }
}
