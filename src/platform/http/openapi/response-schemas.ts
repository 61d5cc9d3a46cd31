import { CURSOR_LENGTH, CURSOR_PATTERN } from '../../../common/cursor.js';
import { OBJECT_ID_PATTERN } from '../validation/parse-object-id.pipe.js';

/** The kinds of values in responses, with their bounds: `@ApiProperty({ ...RESPONSE_SCHEMAS.id, example: … })`. */
export const RESPONSE_SCHEMAS = {
  id: { type: 'string', minLength: 24, maxLength: 24, pattern: OBJECT_ID_PATTERN.source },
  cursor: {
    type: 'string',
    minLength: CURSOR_LENGTH.min,
    maxLength: CURSOR_LENGTH.max,
    pattern: CURSOR_PATTERN.source,
  },
  count: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  time: { type: 'string', format: 'date-time', maxLength: 24 },
  /** a path if the server has no public address */
  fileUrl: { type: 'string', format: 'uri-reference', maxLength: 2_048 },
  url: { type: 'string', format: 'uri', maxLength: 2_048 },
} as const;

/** The server URL in the committed document. A running server replaces it. */
export const NO_SERVER = 'https://api.example.org';
