import { PageOf } from '../../platform/http/pagination/page.js';
import { PostCardDto } from '../../posts/card/post-card.dto.js';

export class FeedPage extends PageOf(PostCardDto) {}
