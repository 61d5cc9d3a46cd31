import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { parseFileKey } from './file-key.js';
import { filesOf, MediaFiles } from './media-files.js';
import { refsOf } from './media-refs.service.js';
import { MediaRef } from './media-ref.schema.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media } from './media.schema.js';

export type MediaReport = { images: number; files: number; faults: number };

const REFS_AT_ONCE = 500;

/** Compares images with their files and references while the server runs. */
@Injectable()
export class MediaAuditService {
  constructor(
    private readonly files: MediaFiles,
    @InjectModel(Media.name) private readonly media: Model<Media>,
    @InjectModel(MediaRef.name) private readonly refs: Model<MediaRef>,
  ) {}

  async run(onFault: (line: string) => void, signal: AbortSignal): Promise<MediaReport> {
    const report: MediaReport = { images: 0, files: 0, faults: 0 };
    const addFault = (line: string): void => {
      report.faults++;
      onFault(line);
    };
    for await (const row of streamMany(this.media, { state: 'ready' }, MEDIA_FIELDS)) {
      signal.throwIfAborted();
      report.images++;
      for (const fault of await this.faultsOf(row)) addFault(fault);
    }
    for await (const key of this.files.keys()) {
      signal.throwIfAborted();
      report.files++;
      if (!(await this.hasRow(key))) addFault(`the file ${key} belongs to no image`);
    }
    for await (const fault of this.danglingRefs(signal)) addFault(fault);
    return report;
  }

  private async faultsOf(row: Media): Promise<string[]> {
    const faults: string[] = [];
    for (const { key, bytes } of filesOf(row)) {
      const found = await this.files.findLength(key);
      if (found !== bytes) faults.push(`the file ${key} has ${found ?? 'no'} bytes, but its row has ${bytes}`);
    }
    if (row.sweepAt === null && (await findOne(this.refs, refsOf(row._id), { _id: 1 })) === null)
      faults.push(`${row._id.toHexString()} is stored as used, but has no reference`);
    if (faults.length === 0) return [];
    // The image may have been deleted after it was listed.
    return (await findOne(this.media, { _id: row._id, state: 'ready' }, { state: 1 })) === null ? [] : faults;
  }

  private async hasRow(key: string): Promise<boolean> {
    const parsed = parseFileKey(key);
    const row = parsed === null ? null : await findOne(this.media, { _id: parsed.id }, MEDIA_FIELDS);
    return row !== null && filesOf(row).some((file) => file.key === key);
  }

  private async *danglingRefs(signal: AbortSignal): AsyncGenerator<string> {
    const mediaOf = ({ _id }: MediaRef): ObjectId => new ObjectId(_id.buffer.subarray(0, 12));
    let batch: MediaRef[] = [];
    const check = async (): Promise<string[]> => {
      const ids = batch.map(mediaOf);
      const rows = await findMany(this.media, { _id: { $in: ids } }, { state: 1 });
      const known = new Set(rows.map(({ _id }) => _id.toHexString()));
      batch = [];
      return [...new Set(ids.map((id) => id.toHexString()))].filter((id) => !known.has(id));
    };
    for await (const ref of streamMany(this.refs, {}, { holderId: 1 })) {
      signal.throwIfAborted();
      batch.push(ref);
      if (batch.length === REFS_AT_ONCE)
        for (const id of await check()) yield `${id} is referenced, but does not exist`;
    }
    for (const id of await check()) yield `${id} is referenced, but does not exist`;
  }
}
