import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { ObjectId } from 'mongodb';
import type { ZipFile } from 'yazl';
import { EXPORTED, type ExportedFile } from '../users/exported.decorator.js';

/** The name of a file or folder, and what the module that owns the rows returns for it. */
type Source = { name: string; read: (userId: ObjectId) => unknown };

/** Writes the data of an account as a ZIP, part by part: memory holds a batch of rows and one compression buffer. */
@Injectable()
export class ExportArchive {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** Resolves when the last part has been read. The caller reads `zip.outputStream` concurrently. */
  async write(zip: ZipFile, userId: ObjectId, signal: AbortSignal): Promise<void> {
    const addStream = async (name: string, stream: Readable, compress = true): Promise<void> => {
      let content: Readable | null = stream;
      const taken = finished(content, { signal });
      zip.addReadStreamLazy(name, { compress }, (open) => {
        open(null, content!);
        // The list of entries references this function until the end, and would retain every text with it.
        content = null;
      });
      // Adds one entry at a time, because queued entries stay in memory.
      await taken;
    };
    const add = (name: string, lines: Iterable<string> | AsyncIterable<string>): Promise<void> =>
      addStream(name, Readable.from(lines, { objectMode: false }));
    for (const { name, read } of this.sources()) {
      const part = read(userId);
      if (name.endsWith('/'))
        for await (const { name: file, content } of part as AsyncIterable<ExportedFile>)
          if (typeof content === 'function') await addStream(name + file, await content(), false);
          else await add(name + file, content);
      else if (name.endsWith('.json')) await add(name, [`${JSON.stringify(await part, null, 2)}\n`]);
      else await add(name, linesOf(part as AsyncIterable<object | string>));
    }
    zip.end();
  }

  /** Returns all methods with `@Exported`, ordered by name. */
  private sources(): Source[] {
    const sources = this.discovery.getProviders().flatMap(({ instance }: { instance: unknown }) => {
      if (typeof instance !== 'object' || instance === null) return [];
      return this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object).flatMap((method): Source[] => {
        const read = (instance as Record<string, Source['read']>)[method]!;
        const name = Reflect.getMetadata(EXPORTED, read) as string | undefined;
        return name === undefined ? [] : [{ name, read: read.bind(instance) }];
      });
    });
    return sources.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

async function* linesOf(rows: AsyncIterable<object | string>): AsyncGenerator<string> {
  for await (const row of rows) yield typeof row === 'string' ? row : `${JSON.stringify(row)}\n`;
}
