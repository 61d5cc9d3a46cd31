import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { MAX_JSON, MAX_TOC, MAX_TOC_TEXT, type RenderedHtml, type TocEntry } from '../../rendering/rendered-html.js';
import { DROPPED, DroppedElementDto } from '../dropped-element.dto.js';
import { CreatePost } from '../dto/post-input.dto.js';

class TocEntryDto implements TocEntry {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, maximum: 6, example: 2 })
  level!: number;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_JSON,
    description: 'the `id` of the heading in the HTML',
    example: 'user-content-note-g',
  })
  id!: string;

  @ApiProperty({ minLength: 1, maxLength: MAX_TOC_TEXT, example: 'Note G' })
  text!: string;
}

export class HtmlDto implements RenderedHtml {
  @ApiProperty({
    maxLength: MAX_JSON,
    description: 'safe to insert into a page: no script, style or form; links have `rel="ugc nofollow noopener"`',
    example: '<h2 id="user-content-note-g">Note G</h2>\n<p>It weaves <em>algebraic patterns</em>.</p>',
  })
  html!: string;

  @ApiProperty({ type: [TocEntryDto], maxItems: MAX_TOC })
  toc!: TocEntryDto[];

  @ApiProperty({ description: 'whether the HTML has formulas, which need the style sheet of KaTeX', example: false })
  hasMath!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 5 })
  words!: number;

  @ApiPropertyOptional({ type: [DroppedElementDto], ...DROPPED })
  dropped?: DroppedElementDto[];
}

/** The text to render, with the limits of a post. */
export class RenderInput extends PickType(CreatePost, ['content', 'contentFormat']) {}
