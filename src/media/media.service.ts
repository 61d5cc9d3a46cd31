import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { SentFile } from '../platform/http/file-response.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { FileKey } from './file-key.js';
import { filesOf, MediaFiles } from './media-files.js';
import { mediaNotFound } from './media-moderation.service.js';
import { MediaRefsService } from './media-refs.service.js';
import { MediaDeletionsService } from './media-deletions.service.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media, OF_OWNER } from './media.schema.js';

/** Images of an account, and their public files. */
@Injectable()
export class MediaService {
  constructor(
    private readonly mongo: MongoService,
    private readonly paginator: Paginator,
    private readonly files: MediaFiles,
    private readonly refs: MediaRefsService,
    private readonly deletions: MediaDeletionsService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
  ) {}

  /** Lists images, latest first. */
  list(viewer: Viewer, query: PageQuery): Promise<Page<Media>> {
    const filter = { ownerId: viewer._id, state: 'ready' } as const;
    const list = { filter, fields: MEDIA_FIELDS, hint: OF_OWNER, query, scope: `media:${viewer.id}` };
    return this.paginator.listLatest(this.media, list);
  }

  /** @throws CodedError `media_not_found` */
  async setAlt(_id: ObjectId, viewer: Viewer, alt: string): Promise<Media> {
    const own = { _id, ownerId: viewer._id, state: 'ready' } as const;
    const { matchedCount } = await this.media.updateOne(own, { $set: { alt } }, { runValidators: true });
    const row = matchedCount === 0 ? null : await findOne(this.media, own, MEDIA_FIELDS);
    if (row === null) throw mediaNotFound();
    return row;
  }

  /** Makes the image unreadable in the database. @throws CodedError `media_not_found`, `media_in_use` */
  async delete(_id: ObjectId, viewer: Viewer, isForced: boolean): Promise<void> {
    const own = { _id, ownerId: viewer._id, state: 'ready' } as const;
    await this.mongo.transaction(async (tx) => {
      if ((await findOne(this.media, own, { state: 1 }, { session: tx.session })) === null) throw mediaNotFound();
      if (!isForced && (await this.refs.isReferenced(_id, tx)))
        throw new CodedError(
          'media_in_use',
          'A post, draft, collection or profile shows it; `?force=true` deletes it all the same.',
        );
      await this.deletions.delete(own, tx);
    });
  }

  /** @throws CodedError `media_not_found` */
  async openFile({ key, id, width }: FileKey): Promise<SentFile> {
    const fields = { secret: 1, type: 1, bytes: 1, variants: 1 } as const;
    const row = await findOne(this.media, { _id: id, state: 'ready' }, fields);
    const file = row === null ? undefined : filesOf(row).find((one) => one.key === key);
    if (row === null || file === undefined) throw mediaNotFound();
    const type = width === null ? row.type : 'image/webp';
    // The file of a key never changes.
    return { type, bytes: file.bytes, disposition: 'inline', etag: key, open: (range) => this.files.open(key, range) };
  }
}
