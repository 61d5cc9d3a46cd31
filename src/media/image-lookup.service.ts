import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { FILES_PATH, setFilesUrl } from '../common/own-files.js';
import { AppConfig } from '../config/app-config.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { ProfileService } from '../users/profile.service.js';
import { picturesIn } from './file-key.js';
import { GUEST_ID } from './media-quota.js';
import { Media } from './media.schema.js';
import { pictureAt, type ShownPicture, toShownPicture } from './responsive-image.js';

const FIELDS = { secret: 1, type: 1, width: 1, height: 1, variants: 1, placeholder: 1 } as const;
const HTTPS = 'https://';

/** Ready images of an account, by hex id. */
export type Pictures = ReadonlyMap<string, ShownPicture>;

type Thumbnail = { thumbnailUrl?: string | null; thumbnailMediaId?: string | null };

/** Looks up the images of an account that its texts and thumbnails reference. */
@Injectable()
export class PictureLookup implements OnModuleInit {
  constructor(
    private readonly profiles: ProfileService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
    { media: { filesUrl } }: AppConfig,
  ) {
    setFilesUrl(filesUrl);
  }

  onModuleInit(): void {
    this.profiles.resolvePicture = (ownerId, { profilePicture, profilePictureMediaId }) =>
      this.addressOf(ownerId, ['profilePicture', profilePicture], ['profilePictureMediaId', profilePictureMediaId]);
  }

  /** Also those without an account, which `MediaRefs.hold` gives to the owner of the texts. */
  async find(ownerId: ObjectId, texts: readonly (string | null | undefined)[]): Promise<Pictures> {
    const ids = picturesIn(texts).map((id) => ObjectId.createFromHexString(id));
    if (ids.length === 0) return new Map();
    const owner = { $in: [ownerId, GUEST_ID] };
    const rows = await findMany(this.media, { _id: { $in: ids }, ownerId: owner, state: 'ready' }, FIELDS);
    return new Map(rows.map((row) => [row._id.toHexString(), toShownPicture(row)]));
  }

  /**
   * Converts the id or public URL of an owner's image to its stored form, because the public URL may change.
   * @throws CodedError `invalid_input`
   */
  async resolveThumbnail<Input extends Thumbnail>(
    ownerId: ObjectId,
    { thumbnailMediaId, ...input }: Input,
  ): Promise<Omit<Input, 'thumbnailMediaId'>> {
    const { thumbnailUrl } = input;
    if (thumbnailUrl === undefined && thumbnailMediaId === undefined) return input;
    const byId = ['thumbnailMediaId', thumbnailMediaId] as const;
    return { ...input, thumbnailUrl: await this.addressOf(ownerId, ['thumbnailUrl', thumbnailUrl], byId) };
  }

  /** An id takes precedence over a URL. */
  private async addressOf(
    ownerId: ObjectId,
    [urlField, url]: readonly [string, string | null | undefined],
    [idField, id]: readonly [string, string | null | undefined],
  ): Promise<string | null | undefined> {
    const isId = typeof id === 'string';
    const given = isId ? id : url === undefined ? id : url;
    if (given === null || given === undefined) return given;
    const pictures = await this.find(ownerId, [isId ? `media:${given}` : given]);
    const picture = isId ? pictures.get(given) : pictureAt(given, pictures);
    if (picture !== undefined) return `${FILES_PATH}/${picture.key}`;
    if (!isId && given.startsWith(HTTPS)) return given;
    const [field, message] = [isId ? idField : urlField, 'must name an image of yours'];
    throw new CodedError('invalid_input', `${field} ${message}.`, { fields: [{ field, message }] });
  }
}
