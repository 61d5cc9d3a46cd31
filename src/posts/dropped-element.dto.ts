import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { type DroppedElement, MAX_DROPPED, MAX_ELEMENT_NAME } from '../rendering/dropped-element.js';

export class DroppedElementDto implements DroppedElement {
  @ApiProperty({ minLength: 1, maxLength: MAX_ELEMENT_NAME, example: 'iframe' })
  element!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, minimum: 1, example: 2 })
  count!: number;
}

/** `dropped` in responses to writes. */
export const DROPPED = {
  maxItems: MAX_DROPPED,
  description: 'only after a write with `contentFormat: html`: elements that were dropped, most frequent first',
};
