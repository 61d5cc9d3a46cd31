import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../platform/http/viewer.js';

export class UserStatsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1204 })
  followersCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 87 })
  followingCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'public posts', example: 31 })
  postsCount!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'likes of those posts', example: 4410 })
  likesReceivedCount!: number;
}

export class UserSettingsDto {
  @ApiProperty({ description: 'BCP 47 language tag', example: 'en' })
  language!: string;
}

export class PublicUserDto {
  @ApiProperty({ pattern: '^[0-9a-f]{24}$', example: '6650c3a2f1d2b3c4d5e6f708' })
  id!: string;

  @ApiProperty({ example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  fullName!: string;

  @ApiProperty({ example: 'Notes on engines and poetry.' })
  bio!: string;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://images.example.org/ada.jpg' })
  profilePicture!: string | null;

  @ApiProperty({ enum: ROLES, example: 'user' })
  role!: Role;

  @ApiProperty({ type: UserStatsDto })
  stats!: UserStatsDto;

  @ApiProperty({
    type: [String],
    maxItems: 8,
    description: 'posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards',
    example: ['6650c3a2f1d2b3c4d5e6f7aa'],
  })
  featuredPostIds!: string[];

  @ApiProperty({ type: String, format: 'date-time', example: '2026-01-05T09:30:00.000Z' })
  createdAt!: Date;
}

export class OwnUserDto extends PublicUserDto {
  @ApiProperty({ type: UserSettingsDto })
  settings!: UserSettingsDto;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-02-11T18:04:10.000Z' })
  updatedAt!: Date;
}

export class TopWriterDto extends PublicUserDto {
  @ApiProperty({ type: Number, minimum: 0, description: 'likesReceivedCount / postsCount', example: 142.26 })
  likesPerPost!: number;
}

export class UserListDto {
  @ApiProperty({ type: [PublicUserDto], description: 'in the order of `ids`; unknown ones are left out' })
  data!: PublicUserDto[];
}

export class TopWritersDto {
  @ApiProperty({ type: [TopWriterDto] })
  data!: TopWriterDto[];
}
