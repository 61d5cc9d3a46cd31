import { ApiProperty } from '@nestjs/swagger';
import { WATCH_LEVELS, type WatchLevel } from '../../follows/subscriptions-port.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { PostCardDto } from '../../posts/card/post-card.dto.js';
import { AuthorDto } from '../../users/author.dto.js';

export class BellDto {
  @ApiProperty()
  user!: AuthorDto;
}

export class WatchedPostDto {
  @ApiProperty()
  post!: PostCardDto;

  @ApiProperty({ enum: WATCH_LEVELS, example: 'watching' })
  level!: WatchLevel;
}

export class BellPage extends PageOf(BellDto) {}

export class WatchedPostPage extends PageOf(WatchedPostDto) {}
