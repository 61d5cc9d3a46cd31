// Requests to addresses that others choose: providers of sign-ins, images to import. They go to public hosts only, within bounds of time
// and size, except for the endpoints that the operator names in OUTGOING_ALLOWED_PRIVATE. Rooms use OutgoingRequests and never `fetch`.
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
