import { IsIn } from 'class-validator';
import { CITATION_FORMATS, CITATION_WRITERS, type CitationFormat } from './citation.js';
import { NullableField } from '../platform/http/validation/text-rules.js';

export class CitationQuery {
  @NullableField({ enum: CITATION_FORMATS, default: 'bibtex', description: '`csl`: CSL-JSON' })
  @IsIn(CITATION_FORMATS)
  format: CitationFormat = 'bibtex';
}

const { bibtex, ris, csl } = CITATION_WRITERS;
const TEXT = { type: 'string', maxLength: 20_000 } as const;
const ITEM = { type: 'object', additionalProperties: true, description: 'an item of CSL-JSON 1.0' } as const;

export const CITATION_RESPONSE = {
  content: {
    [bibtex.contentType]: { schema: TEXT, example: '@misc{ada_lovelace_2026_e6f708,\n  title = {{Notes}}\n}\n' },
    [ris.contentType]: { schema: TEXT, example: 'TY  - BLOG\r\nTI  - Notes\r\nER  - \r\n' },
    [csl.contentType]: {
      schema: { type: 'array' as const, maxItems: 1, items: ITEM },
      example: [{ id: 'ada_lovelace_2026_e6f708', type: 'post-weblog', title: 'Notes' }],
    },
  },
};
