import { Injectable } from '@nestjs/common';

type Source = {
  find: (viewerId: string) => boolean | undefined;
  load: (viewerId: string) => Promise<boolean>;
};

/** Whether lists omit content for a viewer, who then gets no shared response of a list. The room of blocks registers itself here. */
@Injectable()
export class ListFilterPort {
  private source: Source | undefined;

  register(source: Source): void {
    this.source = source;
  }

  /** A map lookup. Undefined: not loaded. */
  find(viewerId: string): boolean | undefined {
    return this.source === undefined ? false : this.source.find(viewerId);
  }

  /** For viewers that `find` does not know. */
  async load(viewerId: string): Promise<boolean> {
    return this.source === undefined ? false : this.source.load(viewerId);
  }
}
