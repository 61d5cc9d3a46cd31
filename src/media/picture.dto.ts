import { PickType } from '@nestjs/swagger';
import { MediaDto } from './dto/media.dto.js';
import type { ImageJson } from './responsive-image.js';

/** An image in cards. */
export class PictureDto
  extends PickType(MediaDto, ['url', 'width', 'height', 'variants', 'placeholder'])
  implements ImageJson {}
