import { ApiProperty } from '@nestjs/swagger';
import { versionedEtag } from '../platform/http/if-match.js';
import { EXAMPLE } from '../common/examples.js';
import { publicUrl } from '../common/own-files.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { MAX_LIMIT } from '../platform/http/pagination/page.query.js';
import { ROLES, type Role } from '../platform/access/viewer.js';
import { TAG } from '../platform/http/validation/tags.decorator.js';
import { FULL_NAME_SCHEMA } from './author.dto.js';
import {
  LANGUAGE_PATTERN,
  MAX_BIO,
  MAX_HEADLINE,
  MAX_INTERESTS,
  MAX_LINK_TITLE,
  MAX_LINKS,
  MAX_LOCATION,
} from './profile-rules.js';
import type { User } from './user.schema.js';
import { USERNAME_SCHEMA } from './username.js';
import { isBanned } from './standing.js';
import { StandingDto, toStanding } from './standing.dto.js';

export class UserStatsDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 1204 })
  followersCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 87 })
  followingCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'public posts', example: 31 })
  postsCount!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'likes of those posts', example: 4410 })
  likesReceivedCount!: number;
}

export class UserSettingsDto {
  @ApiProperty({
    description: 'language of mails, as a BCP 47 tag',
    minLength: 2,
    maxLength: 30,
    pattern: LANGUAGE_PATTERN.source,
    example: 'en',
  })
  language!: string;

  @ApiProperty({ description: 'whether `GET /v1/feed/for-you` is made for the account', example: true })
  personalised!: boolean;
}

/** An account in lists. */
export class PublicUserDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[0] })
  id!: string;

  @ApiProperty({ ...USERNAME_SCHEMA, example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ ...FULL_NAME_SCHEMA, example: 'Ada Lovelace' })
  fullName!: string;

  @ApiProperty({ maxLength: MAX_BIO, example: 'Notes on engines and poetry.' })
  bio!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.fileUrl, nullable: true, example: 'https://images.example.org/ada.jpg' })
  profilePicture!: string | null;

  @ApiProperty({ enum: ROLES, example: 'user' })
  role!: Role;

  @ApiProperty()
  stats!: UserStatsDto;

  @ApiProperty({
    type: 'array',
    items: RESPONSE_SCHEMAS.id,
    maxItems: 8,
    description: 'posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards',
    example: ['6650c3a2f1d2b3c4d5e6f7aa'],
  })
  featuredPostIds!: string[];

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-01-05T09:30:00.000Z' })
  createdAt!: Date;
}

export class LinkDto {
  @ApiProperty({ minLength: 1, maxLength: MAX_LINK_TITLE, example: 'My notebook' })
  title!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.url, example: 'https://example.org/notebook' })
  url!: string;
}

/** An account on its profile. */
export class ProfileDto extends PublicUserDto {
  @ApiProperty({ maxLength: MAX_HEADLINE, example: 'Reads looms like books' })
  headline!: string;

  @ApiProperty({ maxLength: MAX_LOCATION, example: 'London' })
  location!: string;

  @ApiProperty({ type: 'array', items: TAG, maxItems: MAX_INTERESTS, example: ['mathematics', 'weaving'] })
  interests!: string[];

  @ApiProperty({ type: [LinkDto], maxItems: MAX_LINKS })
  links!: LinkDto[];
}

export class OwnUserDto extends ProfileDto {
  @ApiProperty()
  settings!: UserSettingsDto;

  @ApiProperty({ type: StandingDto, nullable: true, description: 'null: not restricted', example: null })
  standing!: StandingDto | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-02-11T18:04:10.000Z' })
  updatedAt!: Date;
}

export class TopWriterDto extends PublicUserDto {
  @ApiProperty({
    format: 'double',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'likesReceivedCount / postsCount',
    example: 142.26,
  })
  likesPerPost!: number;
}

/** An account in the lists of moderators. */
export class ListedAccountDto extends PublicUserDto {
  @ApiProperty({ type: StandingDto, nullable: true, description: 'null: not restricted', example: null })
  standing!: StandingDto | null;
}

export class UserListDto {
  @ApiProperty({
    type: [PublicUserDto],
    maxItems: MAX_LIMIT,
    description: 'in the order of `ids`; unknown ids are omitted',
  })
  data!: PublicUserDto[];
}

export type PublicUserRow = Pick<
  User,
  '_id' | 'username' | 'fullName' | 'bio' | 'profilePicture' | 'role' | 'stats' | 'featuredPostIds' | 'createdAt'
> &
  Pick<User, 'standing'>;

/** Returns the public fields of an account; of a banned one, the name alone. The e-mail address is in another collection. */
export function toPublicUser(row: PublicUserRow): PublicUserDto {
  const user = toUserForModerators(row);
  return isBanned(row) ? { ...user, bio: '', profilePicture: null, featuredPostIds: [] } : user;
}

/** Returns an account for the lists of moderators. */
export function toListedAccount(row: PublicUserRow): ListedAccountDto {
  return { ...toUserForModerators(row), standing: toStanding(row.standing) };
}

/** As `toPublicUser`, with the texts of a banned account. */
export function toUserForModerators(row: PublicUserRow): PublicUserDto {
  const { followersCount, followingCount, postsCount, likesReceivedCount } = row.stats;
  return {
    id: row._id.toHexString(),
    username: row.username,
    fullName: row.fullName,
    bio: row.bio,
    profilePicture: publicUrl(row.profilePicture),
    role: row.role,
    stats: { followersCount, followingCount, postsCount, likesReceivedCount },
    featuredPostIds: row.featuredPostIds.map((id) => id.toHexString()),
    createdAt: row.createdAt,
  };
}

export function toProfile(row: User): ProfileDto {
  const { headline, location, interests, links } = isBanned(row) ? NO_TEXTS : row;
  return { ...toPublicUser(row), headline, location, interests, links };
}

const NO_TEXTS = { headline: '', location: '', interests: [], links: [] };

/** Adds the fields for the owner. */
export function toOwnUser(row: User): OwnUserDto {
  const { settings, standing, updatedAt } = row;
  return {
    ...toProfile(row),
    settings: { language: settings.language, personalised: settings.personalised ?? true },
    standing: toStanding(standing),
    updatedAt,
  };
}

/** Returns the owner's ETag for the next If-Match. */
export function ownUserEtag(user: OwnUserDto): string {
  return versionedEtag(user.updatedAt.getTime(), user);
}

export function toTopWriter(row: User): TopWriterDto {
  return { ...toPublicUser(row), likesPerPost: row.likesPerPost };
}
