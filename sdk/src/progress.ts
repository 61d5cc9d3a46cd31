import type { Fetch } from './retries.js';

/** Progress of the whole request body, which is a little larger than the file. */
export interface Progress {
  sentBytes: number;
  totalBytes: number;
}

type Listener = (progress: Progress) => void;

const CHUNK_BYTES = 65_536;

/** The used part of the browser's class: the server's program, which includes this file for its tests, has no types of the DOM. */
interface Xhr {
  readonly upload: { onprogress: (event: { loaded: number; total: number }) => void };
  readonly responseText: string;
  readonly status: number;
  readonly statusText: string;
  onload: () => void;
  onerror: () => void;
  onabort: () => void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(bytes: Uint8Array): void;
  abort(): void;
}
declare const XMLHttpRequest: new () => Xhr;

/** Returns a `fetch` that reports progress. Browsers use an XMLHttpRequest, because they send no streams over HTTP/1.1. */
export function withProgress(fetch: Fetch, onProgress: Listener): Fetch {
  return async (request) => {
    const bytes = new Uint8Array(await request.arrayBuffer());
    return typeof XMLHttpRequest === 'undefined'
      ? fetch(streaming(request, bytes, onProgress))
      : sendByXhr(request, bytes, onProgress);
  };
}

function streaming(request: Request, bytes: Uint8Array, onProgress: Listener): Request {
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = bytes.subarray(sentBytes, sentBytes + CHUNK_BYTES);
      sentBytes += chunk.length;
      controller.enqueue(chunk);
      if (sentBytes === bytes.length) controller.close();
      onProgress({ sentBytes, totalBytes: bytes.length });
    },
  });
  const { method, headers, signal } = request;
  // lib.dom has no `duplex`.
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, body, duplex: 'half' };
  return new Request(request.url, init);
}

async function sendByXhr(request: Request, bytes: Uint8Array<ArrayBuffer>, onProgress: Listener): Promise<Response> {
  const { method, url, headers, signal } = request;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    headers.forEach((value, name) => xhr.setRequestHeader(name, value));
    xhr.upload.onprogress = ({ loaded, total }) => onProgress({ sentBytes: loaded, totalBytes: total });
    xhr.onload = () => resolve(responseOf(xhr));
    xhr.onerror = () => reject(new TypeError(`${method} ${url} failed`));
    xhr.onabort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(bytes);
  });
}

function responseOf(xhr: Xhr): Response {
  const headers = xhr
    .getAllResponseHeaders()
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    });
  return new Response(xhr.responseText, { status: xhr.status, statusText: xhr.statusText, headers });
}
