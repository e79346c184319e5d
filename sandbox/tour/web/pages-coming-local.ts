import type { Language } from '../languages/languages.ts';

/**
 * What members post besides in the first week, in the language of their community: written as the lists of
 * all communities are.
 */
export const LOCAL_PAGES: Record<
  Exclude<Language, 'en-US'>,
  Record<'general' | 'gameDev' | 'rust' | 'ai', string>
> = {
  de: {
    general: `
* https://www.wdrmaus.de/filme/sachgeschichten/ | Die Sachgeschichten | Wie kommen die Streifen in die Zahnpasta? Seit über fünfzig Jahren die besten Erklärungen.
https://www.kuketz-blog.de/ | Datenschutz, den man selbst in der Hand hat | Schritt für Schritt: Browser, Router, Telefon, und was davon wirklich hilft.
https://www.projekt-gutenberg.org/ | Projekt Gutenberg-DE | Zehntausend Werke der Weltliteratur, frei zu lesen.
https://scienceblogs.de/astrodicticum-simplex/ | Astrodicticum Simplex | Ein Astronom erzählt, was am Himmel passiert und warum.
https://www.bildblog.de/ | Was in der Zeitung stand und nicht stimmte | Ein Watchblog, der seit 2004 nachrechnet.
https://www.deutsche-digitale-bibliothek.de/ | Millionen Objekte aus Museen und Archiven | Vom Handschriftenblatt bis zum Tonband, an einem Ort durchsuchbar.`,
    ai: `
* https://ki-campus.org/ | KI-Campus: Lernen, wie Maschinen lernen | Kostenlose Kurse von Hochschulen, vom Einstieg bis zur Statistik dahinter.
https://netzpolitik.org/ | Was ein Modell nicht wissen darf | Über Daten, Rechte und die Menschen dahinter.
https://www.heise.de/thema/Kuenstliche-Intelligenz | Künstliche Intelligenz, die Themenseite | Was neu ist, was davon bleibt und was nur laut war.`,
    rust: `
https://www.innoq.com/de/podcast/ | Rust in der Praxis: ein Gespräch | Warum ein Team gewechselt hat, und was es vermisst.
https://www.informatik-aktuell.de/ | Speichersicher ohne Müllabfuhr | Ownership an einem Beispiel, das man nicht mehr vergisst.`,
    gameDev: `
* https://www.stayforever.de/ | Stay Forever: Geschichten hinter alten Spielen | Zwei Freunde, ein Spiel, drei Stunden, und am Ende versteht man es.
https://www.makinggames.biz/ | Making Games | Aus den Studios: Werkzeuge, Budgets, Fehler.`,
  },
  'es-ES': {
    general: `
* https://www.cervantesvirtual.com/ | Biblioteca Virtual Miguel de Cervantes | Doscientas mil obras en español, listas para leer gratis.
https://www.fundeu.es/ | ¿Se dice así? | Dudas del español de hoy, resueltas en dos párrafos.
https://www.jotdown.es/ | Jot Down | Artículos largos, de los que se guardan para el domingo.
https://maldita.es/ | Maldita.es | Comprueban lo que te ha llegado por el móvil.
https://www.agenciasinc.es/ | La ciencia es noticia | Qué se ha descubierto esta semana, contado con calma.
https://www.bne.es/es/catalogos/biblioteca-digital-hispanica | Biblioteca Digital Hispánica | Mapas, manuscritos y partituras, escaneados uno a uno.`,
    ai: `
* https://www.xataka.com/categoria/robotica-e-ia | Robots e inteligencia artificial | Lo que ya funciona, lo que falta y lo que solo era una demo.
https://theconversation.com/es/tecnologia | ¿Puede pensar una máquina? | Investigadores que lo explican sin fórmulas.
https://www.csic.es/es/actualidad-del-csic | Redes que aprenden a escuchar | Desde el laboratorio, con los datos sobre la mesa.`,
    rust: `
https://www.genbeta.com/desarrollo | Rust explicado a quien viene de Python | Préstamos, dueños y un compilador con mucha paciencia.
https://midu.dev/ | Tu primer programa en Rust | De cero a un ejecutable en una tarde.`,
    gameDev: `
* https://www.devuego.es/ | DeVuego: la base de datos del videojuego español | Quién hizo qué, desde los ochenta hasta hoy.
https://www.eurogamer.es/ | El nivel que casi no se hizo | Un estudio pequeño cuenta qué dejó fuera.`,
  },
  fr: {
    general: `
* https://gallica.bnf.fr/ | Gallica, la bibliothèque numérique de la BnF | Des millions de documents, du manuscrit enluminé à la presse d’hier.
https://www.academie-francaise.fr/dire-ne-pas-dire | Dire, ne pas dire | Un doute de français, une réponse courte.
https://www.arretsurimages.net/ | Arrêt sur images | Ce que les images montrent, et ce qu’elles laissent de côté.
https://www.cnrtl.fr/ | Le Trésor de la langue française | L’histoire de chaque mot, avec ses exemples.
https://lejournal.cnrs.fr/ | CNRS Le Journal | La recherche racontée par celles et ceux qui la font.
https://www.geoportail.gouv.fr/ | Remonter le temps, vu du ciel | Votre rue en 1950 et aujourd’hui, côte à côte.`,
    ai: `
* https://interstices.info/ | Interstices : les sciences du numérique expliquées | Des chercheurs racontent comment une machine apprend.
https://www.inria.fr/fr/intelligence-artificielle | L’intelligence artificielle, par celles et ceux qui la font | Ce que l’on sait, ce que l’on cherche encore.
https://www.nextinpact.com/ | Ce que votre assistant retient de vous | Enquête, captures à l’appui.`,
    rust: `
https://blog.guillaume-gomez.fr/ | Tutoriel Rust, pas à pas | De l’installation aux durées de vie, en français.
https://www.developpez.com/ | Pourquoi le noyau Linux s’est mis à Rust | Les débats, les chiffres et les premiers pilotes.`,
    gameDev: `
* https://www.canardpc.com/ | Canard PC | Des tests sans pitié, et des coulisses racontées avec humour.
https://www.afjv.com/ | Métiers et studios du jeu vidéo | Qui fait quoi dans un jeu, et comment y arriver.`,
  },
  ja: {
    general: `
* https://dl.ndl.go.jp/ | 国立国会図書館デジタルコレクション | 明治の本から地図まで、家のパソコンで読める。
https://www.jma.go.jp/bosai/nowc/ | 雨雲の動き | 5分ごとの雨雲を地図で。傘がいるかはこれで決める。
https://gendai.media/bluebacks | ブルーバックス | 科学のニュースを、研究者がやさしく解説。
https://www.itmedia.co.jp/ | ITmedia | 今日のIT、まとめて読むならここ。
https://natgeo.nikkeibp.co.jp/ | ナショナル ジオグラフィック日本版 | 写真で見る地球と生きもの。
https://tsukuruiroiro.hatenablog.com/ | 古い時計を直す | 分解して、洗って、また動くまでの記録。`,
    ai: `
* https://www.nii.ac.jp/ | 機械はどうやって言葉を覚えるのか | 研究者が図で説明する入門。
https://ainow.ai/ | AINOW | AIの話題を日本語で追うなら。
https://qiita.com/tags/machinelearning | 機械学習の記事まとめ | 動くコードつき。まずは真似から。`,
    rust: `
https://tech.blog.rust-jp.rs/ | 所有権でつまずかないために | よくあるエラーを一つずつ。
https://qiita.com/tags/rust | Rust をはじめる人へ | 環境の用意から、はじめてのツールまで。`,
    gameDev: `
* https://www.gamespark.jp/ | 一人で作ったゲームが完成するまで | 三年間の開発日記。
https://game.watch.impress.co.jp/ | GAME Watch | 開発者インタビューが充実。`,
  },
  'pt-BR': {
    general: `
* https://memoria.bn.gov.br/ | Hemeroteca Digital Brasileira | Jornais e revistas desde 1808, com busca por palavra.
https://revistapesquisa.fapesp.br/ | Pesquisa Fapesp | Ciência feita no Brasil, contada sem pressa.
https://piaui.folha.uol.com.br/ | revista piauí | Reportagens longas, boas para o domingo.
https://www.manualdousuario.net/ | Manual do Usuário | Tecnologia sem alarde, escrita por gente.
https://www.aosfatos.org/ | Aos Fatos | Aquela corrente do grupo da família, checada.
https://brasilianaiconografica.art.br/ | Brasiliana Iconográfica | O Brasil em gravuras e pinturas de quatro séculos.`,
    ai: `
* https://www.ime.usp.br/ | Como uma máquina aprende, passo a passo | Um curso curto, com exercícios.
https://nucleo.jor.br/ | O que o algoritmo decide por você | Reportagem com os dados abertos.
https://www.tecmundo.com.br/inteligencia-artificial | Inteligência artificial sem mistério | O que já dá para usar hoje, e o que ainda é promessa.`,
    rust: `
https://www.alura.com.br/artigos | Rust para quem vem do JavaScript | Posse e empréstimo, com desenhos.
https://www.vivaolinux.com.br/ | Compilando seu primeiro programa em Rust | Do zero ao binário, no terminal.`,
    gameDev: `
* https://www.nuuvem.com/ | Um jogo brasileiro, do rascunho à loja | Duas pessoas, quatro anos e muito café.
https://www.producaodejogos.com/ | Produção de Jogos | Como começar, com que ferramenta e quanto custa.`,
  },
  'zh-CN': {
    general: `
* https://www.dpm.org.cn/collection/paints.html | 故宫名画记 | 高清古画，放大了慢慢看。
https://www.guokr.com/ | 果壳 | 把科学讲得有意思。
https://daily.zhihu.com/ | 知乎日报 | 每天几篇好回答，睡前读正好。
https://www.ximalaya.com/ | 通勤路上听什么 | 值得从头听起的播客清单。
https://www.infoq.cn/ | InfoQ | 一线工程师的经验谈。
https://www.dxy.com/ | 这条养生说法靠谱吗 | 医生一条一条地查证。`,
    ai: `
* https://tianchi.aliyun.com/ | 从零开始的机器学习练习 | 有数据、有教程，做完就懂了。
https://www.jiqizhixin.com/ | 机器之心 | 论文解读，新进展一篇看懂。
https://www.paddlepaddle.org.cn/ | 动手训练第一个模型 | 跟着笔记一步步来，半小时跑通。`,
    rust: `
https://rustcc.cn/ | Rust 语言中文社区 | 每日日报，问题也有人答。
https://rustmagazine.github.io/rust_magazine_2021/ | Rust 中文杂志 | 从异步到内核，每月一期。`,
    gameDev: `
* https://www.gcores.com/ | 机核：一个独立游戏是怎么做出来的 | 三个人、两年，还有删掉的那一半。
https://www.yystv.cn/ | 游戏研究社 | 老游戏里的故事，讲给没玩过的人听。`,
  },
};
