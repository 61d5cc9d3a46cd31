// Second factors: the authenticator app of an account (SecondFactorsService), the checks of its codes and recovery codes (ProofCheck), and the
// second request of a sign-in (SecondStepService), which auth requires after a password or a provider.
// The work queue deletes the second factor of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth.module.js';
import { UsersModule } from '../../users/users.module.js';
import { ProofCheck } from './proof-check.js';
import { SecondFactor, SecondFactorSchema } from './second-factor.schema.js';
import { SecondFactorsSubscriber } from './second-factors.subscriber.js';
import { SecondFactorsController } from './second-factors.controller.js';
import { SecondFactorsService } from './second-factors.service.js';
import { SecondStepService } from './second-step.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: SecondFactor.name, schema: SecondFactorSchema }]),
    AuthModule,
    UsersModule,
  ],
  controllers: [SecondFactorsController],
  providers: [SecondFactorsService, SecondStepService, ProofCheck, SecondFactorsSubscriber],
})
export class SecondFactorsModule {}
