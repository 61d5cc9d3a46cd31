// Requests to user-supplied addresses (sign-in providers, images to import). Features use SafeHttpClient, never `fetch`, because it
// limits time and size and connects only to public hosts and to OUTGOING_ALLOWED_PRIVATE.
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
