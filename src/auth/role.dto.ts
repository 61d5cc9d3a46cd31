import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { type Role, ROLES } from '../platform/access/viewer.js';
import { OwnPasswordBody } from './password-rules.js';

export class ChangeRoleBody extends OwnPasswordBody {
  @ApiProperty({ enum: ROLES, example: 'moderator' })
  @IsIn(ROLES, { message: `role must be one of ${ROLES.join(', ')}` })
  role!: Role;
}
