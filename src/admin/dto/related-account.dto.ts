import { ApiProperty } from '@nestjs/swagger';
import { ListedAccountDto } from '../../users/user.dto.js';

export const RELATIONS = ['mailbox', 'network'] as const;
export type Relation = (typeof RELATIONS)[number];

export const MAX_RELATED = 100;

export class RelatedAccountDto {
  @ApiProperty()
  account!: ListedAccountDto;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...RELATIONS] },
    minItems: 1,
    maxItems: RELATIONS.length,
    description: '`mailbox`: spellings of one address; `network`: of a registration in the last 30 days',
    example: ['network'],
  })
  reasons!: Relation[];
}

export class RelatedAccountsDto {
  @ApiProperty({ type: [RelatedAccountDto], maxItems: MAX_RELATED, description: 'latest account first' })
  data!: RelatedAccountDto[];
}
