const list = (text: string): string[] => text.trim().split(/\s+/);

/** Beginnings and endings of surnames, by the country of their pattern. Many of the names exist; most are rare, like real surnames. */
export const SURNAMES: readonly (readonly [beginnings: string[], endings: string[]])[] = [
  [
    list(
      'Lind Berg Ek Sand Ny Hög Sjö Wester Öster Norr Söder Ström Hall Ros Lund Gran Björk Alm Asp Hed Holm Stål Silver Gull Dahl Blom Fors Häll Fager Wall Kron Rudd Salm Tall Thor Malm Mell Åker Cedr Sund',
    ),
    list('ström berg gren kvist holm dahl lund mark man qvist blad feldt strand stedt vall hag'),
  ],
  [
    list(
      'Rosen Stein Linden Eichen Birken Blumen Hirsch Adler Falken Schön Grün Weiss Schwarz Sonnen Morgen Winter Königs Hohen Neu Alt Ober Unter Wald Feld Hollen Ehren Finken Gold Silber Kirsch Apfel Mandel Buchen Tannen Reichen Lichten Gruben Wessel Hagen Lauter',
    ),
    list('berg feld thal stein bach hof mann wald baum brück heim haus dorf hauser müller meier eck au'),
  ],
  [
    list(
      'Ash Thorn Black White Green Wood Stan Hol Brad Har Whit Lang Hather Win Mar Den Al Cros Bram Wake Hey Rad Shel Fair Ather Lock Kirk Pen Rother Wether Cart Hay Mead Stock Barn Cham Ell Farn Gar Hart Wool Old New Red Silver Rams Aldr Bick Bos Buck Burn Cald Chad Clay Cop Cuth Dray Dun Ed Far God Grim Had Hinch Ing Kim Led Lip Lud Mal Maw Nor Os Pack Pres Quar Rem Sed Sher Snel Suth Tad Thur Tick Tun Ux War Wed Wex Wing Wol Wyr Yar',
    ),
    list(
      'worth ley ton well field ford wick ham by combe croft shaw bourne man wood gate thwaite stead brook land hurst bury cote',
    ),
  ],
  [
    list(
      'Petr Ivan Sergey Aleks Mikhail Roman Bogdan Stepan Pavl Maks Kirill Dani Lukash Vasil Yakov Grigor Mark Zakhar Fyodor Nazar Tymosh Demid Osip Prokh Leont Arsen Gavril Luk Matv Rod',
    ),
    list('enko ov ova ev eva evich ovsky ovska chuk yuk in ina'),
  ],
  [
    list(
      'Yama Kawa Naka Mori Ishi Matsu Taka Naga Kuro Shira Aka Ao Oka Hara Miya Fuji Ki Ta Sugi Take Ume Iwa Hama Shima Yoshi Kita Minami Nishi Higashi Furu Ara Sawa Nishi Haya Ino Uchi Taki Tomi',
    ),
    list('moto kawa mura ta yama shima saki no guchi hara oka hashi bayashi zawa mizu uchi naga saka'),
  ],
  [
    list(
      'Karapet Hovhann Sark Grigor Petros Hakob Avet Mkrt Harut Vard Tigran Davit Baghdas Manuk Step Gevork Aram Khach Ners Torg',
    ),
    list('yan ian ants'),
  ],
  [
    list('Berid Maisur Kvar Gel Tsik Khar Chav Lom Jap Gogu Abas Dol Kiv Nad Shen Tab Zur Mam Kob Met'),
    list('adze idze ashvili iani atskhelia aridze ava aia'),
  ],
  [
    list(
      'Virt Kork Niem Mäk Lait Heik Salm Tur Ranta Hark Leht Kos Jok Saar Hir Pelt Kuus Haap Lehto Raut Sork Tuom Kallio Vän Puls Ols Nurm Ketol Hakkar Mön',
    ),
    list('anen inen ala onen ela iö ola alainen nen'),
  ],
  [
    list('Papa Kara Hatzi Theo Anto Deme Geor Niko Stama Vasi Kon Pana Aposto Chri Spyro'),
    list('dopoulos giannis kis tidis noulis giorgiou dakis las stantinou reas lidis nakos'),
  ],
  [
    list('Demir Kara Ak Yıldır Öz Kaya Gül Taş Altın Çelik Koç Ay Güneş Deniz Boz Er Sarı Uzun Tekin Baş'),
    list('oğlu kaya soy taş can el han dağ gül er man türk'),
  ],
  [
    list(
      'Beau Mont Clair Bel Haut Ville Roche Fon Char Val Grand Lam Cour Mar Bois Bour Dela Des Fer Gau Lar Mau Per Ro Saint',
    ),
    list('mont champ neuve fort clair val teau ault bert court lieu pré mard don taine geois croix marais pierre'),
  ],
  [
    list('Etxe Iza Ola Zubi Aran Bide Men Ugarte Larra Goiko Ibar Elor Aizp Harri Urru Egi'),
    list('berria girre bar zabal goitia beitia mendi txea ondo uru arte ñaga'),
  ],
  [
    list('Van Der Vander Ver Ooster Wester Hoog Groene Nieuwen Molen Kloos Brou Rooze Zonne Winkel Kuiper Dijk'),
    list('berg huis veld man stra hoven boom kamp meer hout sloot wijk laar dijk brink'),
  ],
  [
    list(
      'Bart Bell Bern Bian Bon Bran Brun Cald Camp Capp Carl Cas Cav Cer Cicc Coll Cor Cost Dann Don Fabr Falc Farr Ferr Fior Font Frances Gall Gamb Gatt Ghir Giac Gir Gran Grim Guerr Lanz Leon Lomb Lucc Magn Manc Mari Mart Mazz Mel Mor Nard Nicol Oliv Orland Pag Pal Pasqu Pell Petr Pizz Poll Quadr Ricc Ros Salv Santor Sart Scar Seraf Spad Tard Tomm Vall Vent Vitt Zan Zucc',
    ),
    list('elli etti ini oni ardi acci ucci ani ato aro illo oli'),
  ],
  [
    list(
      'Adam Andrzej Bart Bogu Chmiel Czern Domb Drozd Fili Gaj Głow Grab Jan Jarz Kali Karp Kasz Kłos Kowal Krak Kwiat Lew Lip Luk Majch Malin Mich Mikoł Niedź Orlik Paw Pietr Piotr Rogal Rut Sadow Sikor Skow Sob Szym Tomasz Urban Walcz Wasil Wierz Wilcz Wiśn Wron Zaj Zawad Zieliń',
    ),
    list('owski owska ak ek czyk ewicz ińska iński icka ko'),
  ],
  [
    list(
      'Rama Krishna Subra Venkata Bala Gana Chandra Hari Raja Jaya Vijaya Surya Deva Govinda Nara Padma Ranga Siva Sri Vasu',
    ),
    list('murthy swamy nathan rajan moorthy chandran sekaran krishnan maniam priya gopal raman das'),
  ],
  [
    list(
      'Arn Bjarn Egil Einar Eirík Finn Grím Guðmund Gunnar Hálfdan Harald Ingólf Jón Ketil Kolbein Magnús Odd Ólaf Ragnar Sigurð Sig Snorr Stein Svein Thor Tryggv Ulf Vigfús',
    ),
    list('sson sdóttir arsson arsdóttir asson asdóttir'),
  ],
  [
    list('Okon Ade Olu Ay Oyin Akin Ogun Chi Nna Ike Ugo Obi Eme Oke Ola Ife'),
    list('kwo yemi wale ola odele bode dele nedu maka chukwu nna yinka sanya jola femi tunde'),
  ],
];

/** Beginnings and endings of East Asian given names. */
export const GIVEN_NAMES: readonly (readonly [beginnings: string[], endings: string[]])[] = [
  [
    list(
      'Haru Natsu Aki Yuki Masa Taka Hiro Nobu Kazu Yoshi Tomo Mitsu Nori Kiyo Sachi Chika Michi Hide Toshi Shige Tada Aya Fumi Sato Ren Mana Rei Asa Ichi Kuni',
    ),
    list('ko mi ka e na ki to suke hiko o ya ta ro yo ho ne'),
  ],
  [
    list(
      'Xiao Jian Zhi Wen Hai Guo Yong Li Ming Jia Yu Shu Chun Qing Zhen Hui Xue Ying Hong Bao De Feng Guang Jin Rui Shao Tian Wei Xin Zi',
    ),
    list(
      'ming hua wei jun lan mei ping yan fang bin chao dong fei gang hao jie kun lei ning peng qin rong shan tao xia yun zhou an bo',
    ),
  ],
];

/** Beginnings and endings of the names of towns, farms and fields. */
export const TOWNS: readonly (readonly [beginnings: string[], endings: string[]])[] = [
  [
    list(
      'Peat Reed Rush Sedge Gorse Broom Sloe Rook Wren Dove Plover Curlew Snipe Teal Drake Hind Colt Ewe Lamb Ram Bull Ox Cob Pike Trout Eel Shrimp Cockle Whelk Mussel Kelp River Stone Field Glass Light Wind Salt Iron Moss Reef Tide Seed Root Leaf Bark Wood Ash Clay Sand Dust Rain Snow Frost Mist Fog Cloud Storm Sun Moon Star Night Dawn Day Bell Song Drum String Key Lock Door Wall Roof Floor House Road Path Bridge Gate Mill Farm Barn Ship Boat Sail Mast Port Bay Isle Cape Hill Peak Vale Glen Lake Pond Well Spring Bird Fish Wolf Bear Deer Fox Bee Moth Crab Hand Heart Wheel Chain Rope Net Bread Grain Wheat Rye Corn Milk Honey Wine Oil Fire Coal Steam Wire Edge Tree Lamp Hawk Heron Otter Badger Lark Finch Swan Goose Raven Owl Hare Stag Thistle Bramble Clover Fern Heather Ivy Juniper Rowan Willow Alder Aspen Cedar Elder Hazel Maple Thorn Flint Slate Chalk Copper Silver Amber Pearl Candle Lantern Anchor Harbor Orchard Meadow Marsh Moor Fen Brook Ford Weir Cairn Crag Ridge Hollow Cross Tower Chapel Market Wagon Saddle Plough Anvil Kettle Basket Ladder Shutter Chimney Hearth',
    ),
    list(
      'field stone bridge gate mill barn light wood well spring hill vale glen lake pond brook ford cross tower path road house hall croft farm side head end bank shore haven water marsh moor fen meadow orchard garden hedge lane green row stead fold garth holm thorpe mere beck rigg fell law scar crag cairn ridge ness wyke royd clough slack dene ings hurst gill shaw strand hithe barrow wold weir lode sike toft',
    ),
  ],
  [
    list(
      'Ash Black Brad Broad Bur Chester Cold Cran Cross Dun East Elm Fair Fern Green Hare Hart Hazel High Holm Kings Lang Lin Long Lyn Mar Mid Mill Nether New North Oak Old Ox Pen Rams Red Rose Ross Salt Sand Shel Silver Staple Stone Stow Sun Swan Thorn Up Wal West Whit Wil Win Wood Wool Alder Apple Barn Beck Birch Bram Brook Carl',
    ),
    list(
      'ton ford ham bury wick field combe by thorpe mouth port minster worth stead bridge well ley dale over don stow hampton cliffe holme beck gate hithe',
    ),
  ],
  [
    list('Lille Stor Nord Sør Øst Vest Lang Sand Stein Bjørn Ulv Elg Fur Gran Bjerk Haug Lyng Myr Svart Rød'),
    list('dal vik fjord nes øy haugen sund havn strand voll moen bakken seter vatn'),
  ],
  [
    list(
      'Alten Neuen Ober Nieder Klein Gross Linden Eichen Birken Wolfs Bären Hirsch Rosen Königs Mühl Stein Wald Grün Kalten Schönen Lauter Erlen Fried Marien',
    ),
    list('burg berg dorf feld hausen bach brunn stadt tal heim rode stein furt kirchen hagen see'),
  ],
  [
    list('Bally Kil Knock Dun Car Clon Drum Ennis Glen Inis Lis Rath Tully Carrick Augh Cool Bel'),
    list('more beg duff rush kerry nagh town lough vane bane castle mullen garvan keel david patrick mallet rea'),
  ],
  [
    list('Llan Aber Pen Tre Pont Caer Bryn Nant Cwm Maes Rhyd'),
    list('dudno fair gwyn deg arth wen dulas mawr ystwyth eirw goch newydd hir elli llyn rhys'),
  ],
  [
    list('Monte Villa Castel Fonte Ponte Campo Rocca Torre Val Piano Serra Sasso'),
    list('bello rosso verde nuovo chiaro franco marino alto lungo secco fiore doro'),
  ],
  [
    list('Kuusi Lehto Kala Koivu Joki Järven Harju Ranta Saari Niemi Suur Pikku Hiek Kivi Sala Halli'),
    list('järvi mäki lahti niemi ranta kylä salmi koski vaara lampi suo saari'),
  ],
  [
    list('Belo Novo Staro Krasno Zeleno Vysoko Sredno Gorno Dolno Kamen Lesno Rechno Tikho Zlato'),
    list('grad pol vka selo gorsk mir vets dol resh brod rechye vodsk'),
  ],
];
