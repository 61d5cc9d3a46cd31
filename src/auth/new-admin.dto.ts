import { PickType } from '@nestjs/swagger';
import { RegisterBody } from './dto/sign-in.dto.js';

export class NewAdminBody extends PickType(RegisterBody, ['username', 'email', 'password', 'fullName', 'cookie']) {}
