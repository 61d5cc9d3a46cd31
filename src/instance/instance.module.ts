// Public settings and limits of this site, which clients read before sign-in. The module owns no rows.
import { Module } from '@nestjs/common';
import { InstanceController } from './instance.controller.js';

@Module({ controllers: [InstanceController] })
export class InstanceModule {}
