import { PickType } from '@nestjs/swagger';
import { MediaDto } from './dto/media.dto.js';
import type { PictureJson } from './shown-picture.js';

/** An image in cards. */
export class PictureDto
  extends PickType(MediaDto, ['url', 'width', 'height', 'variants', 'placeholder'])
  implements PictureJson {}
