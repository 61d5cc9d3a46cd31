import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { FILES_PATH, setFilesUrl } from '../common/own-files.js';
import { AppConfig } from '../config/app-config.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { ProfileService } from '../users/profile.service.js';
import { imageIdsIn } from './file-key.js';
import { GUEST_ID } from './media-quota.js';
import { Media } from './media.schema.js';
import { imageAt, type ResponsiveImage, toResponsiveImage } from './responsive-image.js';

const FIELDS = { secret: 1, type: 1, width: 1, height: 1, variants: 1, placeholder: 1 } as const;
const HTTPS = 'https://';

/** Ready images of an account, by hex id. */
export type Images = ReadonlyMap<string, ResponsiveImage>;

type Thumbnail = { thumbnailUrl?: string | null; thumbnailMediaId?: string | null };

/** Looks up the images of an account that its texts and thumbnails reference. */
@Injectable()
export class ImageLookupService implements OnModuleInit {
  constructor(
    private readonly profiles: ProfileService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
    { media: { filesUrl } }: AppConfig,
  ) {
    setFilesUrl(filesUrl);
  }

  onModuleInit(): void {
    this.profiles.resolveProfileImage = (ownerId, { profilePicture, profilePictureMediaId }) =>
      this.resolveImageUrl(
        ownerId,
        ['profilePicture', profilePicture],
        ['profilePictureMediaId', profilePictureMediaId],
      );
  }

  /** Finds referenced images. Includes images without an account, which `MediaRefsService.attach` assigns to the owner of the text. */
  async find(ownerId: ObjectId, texts: readonly (string | null | undefined)[]): Promise<Images> {
    const ids = imageIdsIn(texts).map((id) => ObjectId.createFromHexString(id));
    if (ids.length === 0) return new Map();
    const owner = { $in: [ownerId, GUEST_ID] };
    const rows = await findMany(this.media, { _id: { $in: ids }, ownerId: owner, state: 'ready' }, FIELDS);
    return new Map(rows.map((row) => [row._id.toHexString(), toResponsiveImage(row)]));
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
    return { ...input, thumbnailUrl: await this.resolveImageUrl(ownerId, ['thumbnailUrl', thumbnailUrl], byId) };
  }

  /** Returns the stored URL of an image. An id takes precedence over a URL. */
  private async resolveImageUrl(
    ownerId: ObjectId,
    [urlField, url]: readonly [string, string | null | undefined],
    [idField, id]: readonly [string, string | null | undefined],
  ): Promise<string | null | undefined> {
    const isId = typeof id === 'string';
    const reference = isId ? id : url === undefined ? id : url;
    if (reference === null || reference === undefined) return reference;
    const images = await this.find(ownerId, [isId ? `media:${reference}` : reference]);
    const image = isId ? images.get(reference) : imageAt(reference, images);
    if (image !== undefined) return `${FILES_PATH}/${image.key}`;
    if (!isId && reference.startsWith(HTTPS)) return reference;
    const field = isId ? idField : urlField;
    const message = isId
      ? 'must be the id of one of your images'
      : 'must be an https URL or the URL of one of your images';
    throw new CodedError('invalid_input', `${field} ${message}.`, { fields: [{ field, message }] });
  }
}
