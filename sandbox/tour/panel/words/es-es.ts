import type { TourWords } from './words.ts';

export const esES: TourWords = {
  label: 'La visita guiada',
  button: '🧭 Visita',
  tour: 'Visita',
  'lead.month':
    'Los miembros publican enlaces y votan; lo mejor llega a la portada. Pruébalo en {steps} pasos.',
  'lead.empty':
    'Eres admin y el bot acaba de llegar. Aquí no pasa nada por sí solo: nadie más publica ni vota, salvo que tú lo hagas como otra persona (arriba en la página).',
  'lead.links':
    'Eres admin de un servidor con dos meses de enlaces y el bot acaba de llegar. Aquí no pasa nada por sí solo: nadie más publica ni vota, salvo que tú lo hagas como otra persona (arriba en la página).',
  after:
    'Fin de la visita. Todo sigue funcionando: prueba lo que quieras. Para llevarlo a tu propio servidor, lee docs/hosting.md (en inglés).',
  webPage: 'La misma portada en la web',
  done: 'hecho',
  toDo: 'pendiente',
  busy: 'Un momento…',
  show: 'Muéstramelo',
  showAsModerator: 'Muéstramelo, como moderador',
  showAsAdmin: 'Muéstramelo, como admin',
  showAsMember: 'Muéstramelo, como otro miembro',
  'set-up.title': 'Configura el resumen',
  'set-up.text':
    'Pulsa «{setUpButton}» bajo el mensaje del bot y luego «{beginButton}». Cada línea se puede cambiar.',
  'import.title': 'Empieza con los enlaces que ya hay',
  'import.text':
    'Pulsa «{importButton}» bajo la bienvenida del bot y luego «{beginButton}». Antes de empezar ves qué se importaría.',
  'report.title': 'Lee el informe',
  'report.text':
    'En un momento el bot dice en {general} qué se ha importado y qué no, con los diez mejores.',
  'board.title': 'Cuelga el tablón',
  'board.text':
    'En el panel, pulsa «{boardButton}» y elige {frontPage}: allí un mensaje muestra siempre los diez mejores.',
  'post.title': 'Publica un enlace',
  'post.text':
    '{post} convierte un enlace en artículo. Pulsa «{run}»; al momento tiene el título y la vista previa de la página.',
  'vote.title': 'Vota un artículo',
  'vote.text': 'Pulsa 👍 bajo el artículo de otra persona. La reacción es el voto.',
  'switch.title': 'Cambia de opinión',
  'switch.text': 'Pulsa 👎 en el mismo artículo: tu voto es ahora un 👎.',
  'climb.title': 'Mira cómo sube un artículo',
  'climb.text':
    'La portada, en directo. Deja que voten el último artículo hasta que quede primero.',
  'climb.action': 'Que voten',
  'climb.label': 'La portada, en directo',
  'climb.none': 'Aún no hay nada publicado.',
  'climb.few': 'Para subir, un artículo necesita otro por encima. Publica antes dos enlaces.',
  'top.title': 'Lee la portada',
  'top.text':
    '{top} te muestra solo a ti los mejores artículos. Los votos los hacen subir; el tiempo, bajar.',
  'told.title': 'Entérate de qué fue de lo tuyo',
  'told.text':
    'La primera respuesta a un artículo abre su hilo, con quien lo publicó dentro. Allí el bot dice qué hubo antes sobre el tema y cuándo llega a ★. Haz que alguien responda al tuyo y que otros voten.',
  'told.action': 'Que respondan y voten',
  'mine.title': 'Mira qué fue de tus enlaces',
  'mine.text':
    '{mine} dice de cada enlace tuyo hasta dónde subió, qué resumen abrió y hasta cuándo se puede votar. Allí también lo cambias o lo quitas.',
  'new.title': 'Mira lo que es nuevo para ti',
  'new.text':
    '{newForMe} muestra lo que llegó desde la última vez que miraste, lo mejor primero, y tiene un final. Deja fuera lo que publicaste, votaste o silenciaste.',
  'needs-vote.title': 'Sé el primer voto',
  'needs-vote.text':
    '{top} con «{needsVote}» muestra lo que solo ha votado quien lo publicó, lo más antiguo primero.',
  'save.title': 'Guarda un enlace para ti',
  'save.text':
    'En el menú del mensaje de un artículo, elige «{saveForMe}». {saved} te muestra solo a ti lo que guardaste.',
  'mute.title': 'Silencia lo que no te interesa',
  'mute.text':
    'En el menú del mensaje de un artículo, elige «{whyThisRank}» y, bajo la respuesta, en «{muteSelect}», el sitio o el miembro. Solo tus propias listas lo dejan fuera.',
  'flag.title': 'Avisa a la moderación',
  'flag.text':
    'En el menú del mensaje de un artículo, elige «{flagCommand}» y un motivo. Solo la moderación ve quién denunció; {reports} muestra lo que le espera.',
  'group.title': 'Muestra un artículo en un segundo canal',
  'group.text': 'Cada canal es un tema. La moderación puede mostrar un artículo también en otro.',
  'remove.title': 'Acaba con el spam con un formulario',
  'remove.text':
    'En el menú del mensaje de un artículo, elige «{moderateCommand}» y luego «{removeButton}». El formulario también bloquea al miembro y el sitio, y elimina sus otros enlaces. «{undoButton}» lo devuelve todo.',
  'words.title': 'Deja palabras fuera',
  'words.text':
    '{block} deja palabras fuera de títulos y comentarios, se escriban como se escriban. Pulsa «{run}»: después se rechaza un enlace titulado «FR33 N1TRO».',
  'words.value': 'free nitro',
  'digest.title': 'Deja que llegue el resumen',
  'digest.text':
    'Una vez al día, lo mejor se publica en {frontPage}. Adelanta el reloj hasta el de mañana: mientras tanto, los miembros publican, y el bot lo envía en menos de un minuto.',
  'digest.alone':
    'El resumen llega a su hora, con lo que ha votado alguien además de quien lo publicó. No hace falta esperar: adelanta el reloj. Mientras tanto, nadie publica.',
  'digest.action': 'Ir al próximo resumen',
  'digest.none': 'Aún no hay resumen. Un admin lo configura con {panel} o {set}.',
  'recount.title': 'Corta la conexión',
  'recount.text':
    'Desconecta el bot de Discord, vota mientras tanto y vuelve a conectarlo: un recuento encuentra el voto.',
  'recount.cut': 'Cortar la conexión',
  'recount.giveBack': 'Restablecerla',
  'recount.missed': 'El bot se ha perdido ese voto. Restablece la conexión.',
  'recount.isCut': 'La conexión está cortada. Vota ahora un artículo.',
  'recount.connecting': 'El bot se está conectando de nuevo y hará un recuento…',
  'feed.title': 'Encuentra un enlace en un feed',
  'feed.text':
    'Un feed llena {rust} de enlaces. Pon 👍 en uno que ya tenga uno: se convierte en artículo, encontrado por quien fue primero, y ambos 👍 son votos.',
  'signs.title': 'Vota como quiera tu comunidad',
  'signs.text':
    'En el panel, «{votesSetting}» permite ofrecer solo 👍; en «{upSetting}», escribe spark, un emoji de este servidor. Publica después un enlace: lleva lo que elegiste, y los artículos anteriores conservan lo suyo.',
  'check-up.title': 'Comprueba que todo va bien',
  'check-up.text': 'Como admin, pulsa «{checkUpButton}» en el panel.',
  nothingToVote: 'Aquí no hay nada que puedas votar: publica antes un enlace como otra persona.',
  voteFirst: 'Vota antes un artículo.',
};
