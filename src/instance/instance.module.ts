// What a client must know of this site before anyone signs in. It owns no rows: settings and limits of other rooms.
import { Module } from '@nestjs/common';
import { InstanceController } from './instance.controller.js';

@Module({ controllers: [InstanceController] })
export class InstanceModule {}
