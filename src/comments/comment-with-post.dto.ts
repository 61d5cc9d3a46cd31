import { ApiProperty } from '@nestjs/swagger';
import { TargetPostDto } from '../posts/card/post-card.dto.js';
import { CommentDto } from './dto/comment.dto.js';

export class CommentWithPostDto extends CommentDto {
  @ApiProperty({ type: TargetPostDto, nullable: true, description: 'null if you may no longer read the post' })
  post!: TargetPostDto | null;
}
