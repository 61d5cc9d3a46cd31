// Requests to user-supplied addresses: sign-in providers, images to import. They connect to public hosts only, with limits of time and
// size, except for the endpoints in OUTGOING_ALLOWED_PRIVATE. Features use SafeHttpClient, never `fetch`.
import { Module } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { SafeHttpClient } from './safe-http-client.js';

@Module({
  providers: [
    {
      provide: SafeHttpClient,
      inject: [AppConfig],
      useFactory: ({ outgoing }: AppConfig) => new SafeHttpClient(outgoing),
    },
  ],
  exports: [SafeHttpClient],
})
export class OutgoingModule {}
