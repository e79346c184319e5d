/**
 * What people call a zone besides its own name, its city in our languages (`cities.json`), its other cities in
 * English (`@vvo/tzdb`) and its country: further cities, and cities in other languages.
 */
export const ALIASES: Readonly<Record<string, string>> = {
  UTC: 'gmt, z, zulu, greenwich, universal, 格林威治, 格林尼治, 世界时, 世界時, 協定世界時, 协调世界时',
  'Africa/Cairo': 'alexandria, alejandría, alexandrie, 开罗',
  'Africa/Johannesburg':
    'cape town, kapstadt, le cap, ciudad del cabo, cidade do cabo, pretoria, ケープタウン, 约翰内斯堡, 开普敦',
  'Africa/Lagos': '拉各斯',
  'Africa/Nairobi': '内罗毕',
  'America/Argentina/Buenos_Aires': 'rosario, mendoza, 布宜诺斯艾利斯',
  'America/Chicago':
    'texas, st. louis, saint louis, houston, dallas, nueva orleans, new orleans, ヒューストン, ダラス, austin, minneapolis, 芝加哥, 休斯敦, 达拉斯',
  'America/Denver': 'salt lake city, 丹佛',
  'America/Halifax': '哈利法克斯',
  'America/Los_Angeles': [
    'california, kalifornien, californie, カリフォルニア, 加州, sf, la, san francisco, são francisco, san diego, san jose, サンフランシスコ, シアトル, ラスベガス, seattle, portland, las vegas, silicon valley, 洛杉矶, 旧金山, 西雅图, 硅谷, 圣迭戈',
    '拉斯维加斯',
  ].join(', '),
  'America/Mexico_City': 'guadalajara, méxico df, cdmx, メキシコシティ, 墨西哥城',
  'America/Nuuk': '努克',
  'America/New_York':
    'nova iorque, florida, philadelphia, orlando, charlotte, new york city, ボストン, ワシントン, マイアミ, 東部時間, nyc, boston, washington, miami, atlanta, 纽约, 波士顿, 华盛顿, 迈阿密, 亚特兰大, 费城',
  'America/Phoenix': '凤凰城',
  'America/Sao_Paulo':
    'rio de janeiro, río de janeiro, san pablo, belo horizonte, curitiba, porto alegre, brasília, リオデジャネイロ, ブラジリア, rio, brasilia, 圣保罗, 里约热内卢',
  'America/Santiago': '圣地亚哥',
  'America/Toronto':
    'québec, quebec, ottawa, モントリオール, オタワ, montreal, 多伦多, 蒙特利尔, 渥太华',
  'America/Vancouver': '温哥华',
  'Asia/Bangkok': '曼谷',
  'Asia/Dubai': 'abu dhabi, アブダビ, 迪拜, 阿布扎比',
  'Asia/Ho_Chi_Minh': 'hanoi, hà nội, ハノイ, 河内, saigon, 胡志明市, 西贡',
  'Asia/Hong_Kong': 'hongkong, 香港',
  'Asia/Jakarta': '雅加达',
  'Asia/Jerusalem': 'tel aviv, テルアビブ, 耶路撒冷, 特拉维夫',
  'Asia/Karachi': '卡拉奇',
  'Asia/Kathmandu': '加德满都',
  'Asia/Kolkata':
    'neu-delhi, nueva delhi, nova deli, nova délhi, delhi, mumbai, hyderabad, pune, ムンバイ, デリー, ニューデリー, calcutta, bombay, new delhi, bangalore, chennai, 加尔各答, 孟买, 新德里, 班加罗尔',
  'Asia/Kuala_Lumpur': '吉隆坡',
  'Asia/Macau': 'macao, 澳门',
  'Asia/Manila': '马尼拉',
  'Asia/Riyadh': '利雅得',
  'Asia/Seoul': 'korea, corea, corée, coreia, busan, 釜山, 부산, 서울, 仁川, 首尔',
  'Asia/Shanghai': [
    "pekin, pékin, pequim, pekín, kanton, cantón, beijing, 北京市, 広州, 深セン, 南京, peking, shenzhen, guangzhou, hangzhou, wuhan, nanjing, tianjin, xi'an, xian, china",
    '长沙, 郑州, 青岛, 济南, 合肥, 福州, 昆明, 大连, 沈阳, 哈尔滨, 长春, 石家庄, 太原, 南昌, 南宁, 贵阳, 海口, 宁波, 无锡, 东莞, 佛山, 上海, 北京, 深圳, 广州, 杭州, 成都, 武汉, 南京, 天津, 西安, 重庆, 苏州, 厦门, 中国',
  ].join(', '),
  'Asia/Singapore': 'cingapura, 新加坡',
  'Asia/Taipei': 'taiwán, 台灣, taiwan, 台北, 臺北, 台湾',
  'Asia/Tehran': '德黑兰',
  'Asia/Tokyo':
    '沖縄, 那覇, 新潟, 金沢, 静岡, 熊本, 鹿児島, 長野, 岡山, トウキョウ, okinawa, naha, osaka, ōsaka, yokohama, nagoya, sapporo, fukuoka, kobe, hiroshima, sendai, 横浜, 名古屋, 札幌, 福岡, 神戸, 広島, 仙台, とうきょう, 東京都, kyoto, 东京, 大阪, 京都',
  'Asia/Urumqi': '乌鲁木齐',
  'Asia/Yangon': 'rangoon, 仰光',
  'Atlantic/Reykjavik': '雷克雅未克',
  'Atlantic/Faroe': '法罗群岛',
  'Australia/Melbourne': '墨尔本',
  'Australia/Perth': '珀斯',
  'Australia/Sydney': 'canberra, キャンベラ, 悉尼, 堪培拉',
  'Europe/Amsterdam':
    'holland, hollande, holanda, den haag, rotterdam, la haye, la haya, 阿姆斯特丹',
  'Europe/Athens': '雅典',
  'Europe/Berlin':
    'hannover, nürnberg, nuremberg, núremberg, dresden, düsseldorf, dortmund, essen, bremen, bonn, karlsruhe, mannheim, freiburg, köln, colonia, cologne, colônia, munich, múnich, munique, hamburgo, hambourg, hanovre, francfort, fráncfort, ミュンヘン, ハンブルク, フランクフルト, ケルン, münchen, frankfurt, cologne, stuttgart, leipzig, 柏林, 慕尼黑, 汉堡, 法兰克福',
  'Europe/Brussels': 'antwerpen, anvers, amberes, gent, 布鲁塞尔',
  'Europe/Copenhagen': 'aarhus, århus, 哥本哈根',
  'Europe/Dublin': '都柏林',
  'Europe/Helsinki': '赫尔辛基',
  'Europe/Istanbul': '伊斯坦布尔',
  'Europe/Kyiv': 'київ, киев, kiev, 基辅',
  'Europe/Lisbon': 'porto, oporto, 里斯本',
  'Europe/London':
    'uk, gb, great britain, großbritannien, grande-bretagne, gran bretaña, grã-bretanha, england, inglaterra, angleterre, scotland, schottland, écosse, escocia, escócia, wales, イングランド, スコットランド, 英格兰, 苏格兰, londra, birmingham, liverpool, glasgow, cardiff, belfast, edimburgo, édimbourg, マンチェスター, エディンバラ, edinburgh, 伦敦, 曼彻斯特, 爱丁堡',
  'Europe/Madrid':
    'barcelona, granada, sevilla, seville, valencia, zaragoza, málaga, bilbao, バルセロナ, 马德里, 巴塞罗那',
  'Europe/Moscow':
    'москва, санкт-петербург, st. petersburg, sankt-petersburg, sankt petersburg, saint-pétersbourg, san petersburgo, são petersburgo, サンクトペテルブルク, st petersburg, 莫斯科, 圣彼得堡',
  'Europe/Oslo': '奥斯陆',
  'Europe/Paris':
    'nice, lille, strasbourg, straßburg, estrasburgo, rennes, montpellier, grenoble, lyon, marseille, marsella, toulouse, bordeaux, nantes, リヨン, マルセイユ, 巴黎, 里昂',
  'Europe/Prague': '布拉格',
  'Europe/Rome':
    'bologna, palermo, genova, mailand, milan, milán, milão, neapel, nápoles, turin, turín, florenz, florence, florencia, venedig, venecia, venise, veneza, firenze, venezia, napoli, torino, ミラノ, ナポリ, ヴェネツィア, フィレンツェ, milano, 罗马, 米兰',
  'Europe/Stockholm': 'göteborg, gothenburg, 斯德哥尔摩',
  'Europe/Vienna': 'wien, 维也纳',
  'Europe/Warsaw': 'gdańsk, danzig, poznań, krakow, 华沙',
  'Europe/Zurich':
    'genf, genève, geneva, ginebra, genebra, basel, basilea, bâle, lausanne, berna, ジュネーブ, バーゼル, bern, 苏黎世, 日内瓦',
  'Pacific/Auckland': 'wellington, christchurch, ウェリントン, 奥克兰, 惠灵顿',
  'Pacific/Honolulu': 'hawaii, 檀香山, 夏威夷',
  'America/Caracas': 'valencia',
  'America/Costa_Rica': 'san jose',
  'America/Edmonton': 'calgary, カルガリー',
  'America/Bogota': 'medellín, cali',
};

/**
 * Abbreviations that mean one place for nearly everybody who types them. A place is meant, whose summer time
 * comes too: `EST` is no fixed offset.
 */
const PLACES_BY_ABBREVIATION: Readonly<Record<string, string>> = {
  'America/New_York': 'est edt et est5edt',
  'America/Chicago': 'cdt ct cst6cdt',
  'America/Denver': 'mst mdt mt mst7mdt',
  'America/Los_Angeles': 'pst pdt pt pst8pdt',
  'America/Anchorage': 'akst akdt',
  'America/Halifax': 'adt',
  'America/St_Johns': 'ndt',
  'America/Sao_Paulo': 'brt brst',
  'America/Argentina/Buenos_Aires': 'art',
  'America/Santiago': 'clt clst',
  'America/Bogota': 'cot',
  'America/Lima': 'pet',
  'America/Caracas': 'vet',
  'America/La_Paz': 'bot',
  'America/Montevideo': 'uyt',
  'America/Asuncion': 'pyt pyst',
  'Pacific/Honolulu': 'hst hast',
  'Pacific/Guam': 'chst',
  'Pacific/Auckland': 'nzst nzdt nzt',
  'Pacific/Fiji': 'fjt',
  'Australia/Sydney': 'aest aedt aet',
  'Australia/Adelaide': 'acst acdt',
  'Australia/Perth': 'awst',
  'Asia/Tokyo': 'jst',
  'Asia/Seoul': 'kst',
  'Asia/Hong_Kong': 'hkt',
  'Asia/Singapore': 'sgt',
  'Asia/Kuala_Lumpur': 'myt',
  'Asia/Manila': 'pht phst',
  'Asia/Bangkok': 'ict',
  'Asia/Jakarta': 'wib',
  'Asia/Makassar': 'wita',
  'Asia/Jayapura': 'wit',
  'Asia/Karachi': 'pkt',
  'Asia/Kathmandu': 'npt',
  'Asia/Yangon': 'mmt',
  'Asia/Jerusalem': 'idt',
  'Asia/Tehran': 'irst irdt',
  'Asia/Dubai': 'gst',
  'Asia/Tashkent': 'uzt',
  'Asia/Yekaterinburg': 'yekt',
  'Asia/Omsk': 'omst',
  'Asia/Krasnoyarsk': 'krat',
  'Asia/Irkutsk': 'irkt',
  'Asia/Yakutsk': 'yakt',
  'Asia/Vladivostok': 'vlat',
  'Europe/Moscow': 'msk msd',
  'Europe/Istanbul': 'trt',
  'Europe/Berlin': 'cet cest mez mesz',
  'Europe/Athens': 'eet eest oez oesz',
  'Europe/Lisbon': 'wet west wez',
  'Africa/Nairobi': 'eat',
  'Africa/Maputo': 'cat',
  'Africa/Lagos': 'wat',
  'Africa/Johannesburg': 'sast',
};

/** The places of each abbreviation. Those with several are asked about. */
export const ABBREVIATIONS: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ...Object.entries(PLACES_BY_ABBREVIATION).flatMap(([zone, names]) =>
    names.split(' ').map((name) => [name, [zone]] as const),
  ),
  ['cst', ['America/Chicago', 'Asia/Shanghai', 'America/Havana']],
  ['ist', ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem']],
  ['ast', ['America/Halifax', 'America/Puerto_Rico', 'Asia/Riyadh']],
  ['bst', ['Europe/London', 'Asia/Dhaka']],
  ['sst', ['Pacific/Pago_Pago', 'Asia/Singapore']],
  ['nst', ['America/St_Johns', 'Asia/Kathmandu']],
  ['amt', ['America/Manaus', 'Asia/Yerevan']],
  ['act', ['Australia/Darwin', 'America/Rio_Branco']],
  ['ect', ['America/Guayaquil', 'Europe/Paris']],
  ['wst', ['Australia/Perth', 'Pacific/Apia']],
  ['met', ['Europe/Berlin', 'Asia/Tehran']],
]);

/**
 * Where nearly all people of a country with several zones live in one. Its name means that one; other such
 * countries are asked about.
 */
export const MAINLANDS: Readonly<Record<string, string>> = {
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  EC: 'America/Guayaquil',
  ES: 'Europe/Madrid',
  GL: 'America/Nuuk',
  NZ: 'Pacific/Auckland',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  UA: 'Europe/Kyiv',
};
