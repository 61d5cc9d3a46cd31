import { ApiProperty } from '@nestjs/swagger';
import { IsWebAddress } from '../../platform/http/validation/text-rules.js';

export class ImportAddress {
  @ApiProperty({
    description: 'of a page or a feed on a public host; at most 5 MB, downloaded within 10 seconds',
    example: 'https://ada.example.org/feed.xml',
  })
  @IsWebAddress()
  address!: string;
}
