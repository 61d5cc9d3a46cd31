import { PickType } from '@nestjs/swagger';
import { CreatePost } from '../dto/post-input.dto.js';

/** The text of a post, under the rule that a post has. */
export class RenderInput extends PickType(CreatePost, ['content']) {}
