import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { POST_EVENT_KINDS, type PostEventKind } from './post-event.schema.js';

export class RecordPostEvent {
  @ApiProperty({ enum: POST_EVENT_KINDS, example: 'view' })
  @IsIn(POST_EVENT_KINDS, { message: `kind must be one of ${POST_EVENT_KINDS.join(', ')}` })
  kind!: PostEventKind;
}

export class PostEventResultDto {
  @ApiProperty({ description: 'false: this viewer was counted in this window already', example: true })
  counted!: boolean;
}
