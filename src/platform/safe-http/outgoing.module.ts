// Requests to user-supplied addresses: sign-in providers, images to import. They connect to public hosts only, with limits of time and
// size, except for the endpoints in OUTGOING_ALLOWED_PRIVATE. Features use OutgoingRequests, never `fetch`.
import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { OutgoingRequests } from './outgoing-requests.js';

@Global()
@Module({
  providers: [
    {
      provide: OutgoingRequests,
      inject: [AppConfig],
      useFactory: ({ outgoing }: AppConfig) => new OutgoingRequests(outgoing),
    },
  ],
  exports: [OutgoingRequests],
})
export class OutgoingModule {}
