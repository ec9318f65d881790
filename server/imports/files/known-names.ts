import { fold } from '../../../contract/fold.ts';

/** What columns are called in the files of others, in the large languages of Europe. */

export type Topic =
  | 'company'
  | 'full_name'
  | 'first_name'
  | 'last_name'
  | 'salutation'
  | 'title'
  | 'phone'
  | 'office_phone'
  | 'mobile'
  | 'fax'
  | 'email'
  | 'website'
  | 'address'
  | 'street'
  | 'city'
  | 'postcode'
  | 'region'
  | 'country'
  | 'comment'
  | 'date'
  | 'due'
  | 'category'
  | 'state'
  | 'id'
  | 'owner';

const NAMES: Record<Topic, string> = {
  company: `company, company name, business, business name, organisation, organization, account, account name, employer, firm, customer, client,
    Firma, Firmenname, Unternehmen, Kunde, Betrieb, société, raison sociale, entreprise, nom de la société, nom de l'entreprise, empresa,
    nombre de la empresa, razón social, compañía, cliente, azienda, società, ragione sociale, impresa, ditta, nome da empresa, razão social, companhia,
    bedrijf, bedrijfsnaam, onderneming, organisatie, klant, virksomhed, firmanavn, selskab, företag, företagsnamn, bolag, organisation, bedrift,
    bedriftsnavn, selskap, virksomhet, yritys, yrityksen nimi, yhtiö, asiakas, nazwa firmy, przedsiębiorstwo, spółka, společnost, název firmy,
    název společnosti, podnik, zákazník`,
  full_name: `name, full name, contact, contact name, contact person, person, Ansprechpartner, Ansprechpartnerin, Kontakt, Kontaktperson, vollständiger Name,
    nom complet, nom et prénom, prénom et nom, interlocuteur, nombre completo, nombre y apellidos, contacto, persona de contacto, nome completo, contatto,
    nome e cognome, referente, contato, pessoa de contato, nome do contato, volledige naam, contactpersoon, naam, navn, fulde navn, kontaktperson, namn,
    fullständigt namn, kontakt, fullt navn, nimi, koko nimi, yhteyshenkilö, imię i nazwisko, osoba kontaktowa, jméno a příjmení, celé jméno, kontaktní osoba`,
  first_name: `first name, firstname, given name, forename, fname, Vorname, prénom, nombre, nombre de pila, nome, primeiro nome, nome próprio, voornaam, fornavn,
    förnamn, etunimi, imię, jméno, křestní jméno`,
  last_name: `last name, lastname, surname, family name, lname, Nachname, Familienname, Zuname, nom, nom de famille, apellido, apellidos, cognome, sobrenome,
    apelido, último nome, achternaam, familienaam, efternavn, efternamn, etternavn, sukunimi, nazwisko, příjmení`,
  salutation: `salutation, courtesy, Anrede, civilité, tratamiento, appellativo, tratamento, aanhef, tiltale, tilltal, puhuttelu, zwrot grzecznościowy, oslovení`,
  title: `title, job title, position, role, function, job, Titel, Position, Funktion, Berufsbezeichnung, Stelle, titre, poste, fonction, intitulé du poste, cargo,
    puesto, título, posizione, ruolo, mansione, qualifica, titolo, função, posição, functie, functietitel, rol, stilling, titel, befattning, roll, tittel, nimike,
    tehtävä, asema, tytuł, stanowisko, funkcja, titul, pozice, funkce`,
  phone: `phone, phone number, phone no, telephone, telephone number, tel, tel no, tel nr, Telefon, Telefonnummer, Rufnummer, Tel Nr, Fon, téléphone,
    numéro de téléphone, tél, teléfono, número de teléfono, tfno, telefono, numero di telefono, telefone, número de telefone, telefoon, telefoonnummer,
    telefonnummer, tlf, telefonnr, telf, puhelin, puhelinnumero, puh, numer telefonu, nr telefonu, telefonní číslo, telefonni cislo`,
  office_phone: `office phone, work phone, business phone, company phone, work office phone, landline, direct dial, direct phone, main phone, switchboard,
    Telefon geschäftlich, Telefon dienstlich, Bürotelefon, Festnetz, Durchwahl, Zentrale, téléphone professionnel, téléphone bureau, téléphone fixe, fixe,
    teléfono de trabajo, teléfono oficina, teléfono fijo, fijo, telefono ufficio, telefono fisso, fisso, telefono lavoro, telefone comercial, telefone fixo,
    telefone do trabalho, telefoon werk, vaste telefoon, vast nummer, zakelijk telefoonnummer, arbejdstelefon, telefon arbejde, fastnet, arbetstelefon,
    telefon arbete, växel, arbeidstelefon, telefon arbeid, fasttelefon, työpuhelin, lankapuhelin, vaihde, telefon służbowy, telefon stacjonarny, telefon firmowy,
    pracovní telefon, pevná linka, telefon do práce`,
  mobile: `mobile, mobile phone, mobile number, cell, cell phone, cellphone, cellular, gsm, Handy, Mobil, Mobiltelefon, Mobilnummer, Handynummer, Mobilfunk, portable,
    téléphone portable, téléphone mobile, tél portable, móvil, teléfono móvil, celular, teléfono celular, cellulare, telefono cellulare, numero di cellulare,
    telemóvel, telefone celular, telefone móvel, mobiel, mobiele telefoon, mobiel nummer, gsm nummer, mobilnummer, mobiltelefon, mobilnr, matkapuhelin, kännykkä,
    gsm puhelin, komórka, telefon komórkowy, numer komórki, mobilní telefon`,
  fax: `fax, fax number, telefax, Faxnummer, télécopie, faks`,
  email: `email, e-mail, mail, email address, e-mail address, mail address, work email, Mailadresse, E-Mail-Adresse, courriel, adresse e-mail, adresse mail, adresse électronique,
    correo, correo electrónico, email de contacto, posta elettronica, indirizzo e-mail, correio eletrónico, correio eletrônico, endereço de e-mail, e-mailadres, mailadres,
    e-mailadresse, mailadresse, e-post, e-postadress, epost, e-postadresse, sähköposti, sähköpostiosoite, adres e-mail, poczta, e-mailová adresa`,
  website: `website, web site, web, url, homepage, home page, web address, domain, site, Webseite, Internet, Internetseite, Internetadresse, site web, site internet,
    página web, sitio web, sito, sito web, sito internet, página da web, webbsida, hemsida, hjemmeside, nettside, nettsted, verkkosivu, kotisivu, www,
    strona, strona www, strona internetowa, webové stránky, internetové stránky`,
  address: `address, full address, postal address, mailing address, Adresse, Anschrift, Postanschrift, adresse postale, adresse complète, dirección, dirección postal, domicilio,
    indirizzo, indirizzo completo, endereço, morada, adres, postadres, postadresse, adress, postadress, osoite, postiosoite, adres pocztowy, adresa`,
  street: `street, street address, address 1, address line 1, Straße, Strasse, Straße und Hausnummer, Str, rue, voie, calle, via, rua, straat, straatnaam, vej, vejnavn, gade, gata, gatuadress,
    gateadresse, gate, katu, katuosoite, lähiosoite, ulica, ulice`,
  city: `city, town, place, locality, Stadt, Ort, Wohnort, ville, commune, localité, ciudad, localidad, población, municipio, città, comune, località, cidade, localidade, município, stad, plaats,
    woonplaats, by, ort, postort, stad, sted, poststed, kaupunki, postitoimipaikka, paikkakunta, miasto, miejscowość, město, obec`,
  postcode: `postcode, post code, zip, zip code, postal code, PLZ, Postleitzahl, code postal, cp, código postal, cap, codice postale, cep, postnummer, postnr, postinumero,
    kod pocztowy, PSČ, poštovní směrovací číslo, postal`,
  region: `state or province, province, county, region, Bundesland, Kanton, département, région, provincia, comunidad, regione, estado, distrito, provincie, kommun, län, fylke,
    maakunta, województwo, kraj`,
  country: `country, nation, Land, pays, país, pais, paese, nazione, stato, maa, kraj zamieszkania, państwo, země, stát`,
  comment: `comment, comments, note, notes, remark, remarks, description, memo, Kommentar, Kommentare, Bemerkung, Bemerkungen, Notiz, Notizen, Anmerkung, Beschreibung, commentaire,
    commentaires, remarque, remarques, comentario, comentarios, nota, notas, observaciones, commento, commenti, note, osservazioni, comentário, comentários, observações,
    opmerking, opmerkingen, notitie, notities, bemærkning, bemærkninger, noter, kommentarer, anteckning, anteckningar, merknad, merknader, notater, kommentti,
    huomautus, muistiinpano, huomio, komentarz, uwagi, notatki, komentář, poznámka, poznámky`,
  date: `date, Datum, fecha, data, dato, päivämäärä, pvm, päiväys`,
  due: `due, due date, call back, callback, follow up, next call, Wiedervorlage, Rückruf, fällig, relance, à rappeler, échéance, rappel, seguimiento, vencimiento, richiamare, scadenza,
    retornar, opvolging, terugbellen, opfølgning, uppföljning, återuppringning, oppfølging, seuranta, soitetaan, oddzwonić, termin kontaktu, zavolat`,
  category: `category, Kategorie, catégorie, categoría, categoria, categorie, kategori, luokka, kategoria, kategorie`,
  state: `state, status, Zustand, statut, état, estado, stato, tila, stan, stav`,
  id: `lead id`,
  owner: `owner, claimed by, agent, assigned to, sales rep, account manager, Besitzer, Bearbeiter, Betreuer, zuständig, Verantwortlicher, propriétaire, commercial, responsable, propietario,
    comercial, proprietario, responsabile, proprietário, responsável, eigenaar, verantwoordelijke, ejer, ansvarlig, ägare, ansvarig, säljare, eier, selger, omistaja,
    vastuuhenkilö, właściciel, opiekun, handlowiec, vlastník, obchodník`,
};

const TOPICS = new Map<string, Topic[]>();
for (const [topic, names] of Object.entries(NAMES) as [Topic, string][]) {
  for (const name of names.split(',')) {
    const key = fold(name);
    if (!TOPICS.get(key)?.includes(topic)) TOPICS.set(key, [...(TOPICS.get(key) ?? []), topic]);
  }
}

/** Several where languages differ: `nom` is a last name, `estado` a state or a region. "Tel. 2" is what "Tel." is. */
export function topicsOf(name: string): Topic[] {
  const key = fold(name);
  return TOPICS.get(key) ?? TOPICS.get(key.replace(/_?\d{1,3}$/, '')) ?? TOPICS.get(key.replaceAll('_', '')) ?? [];
}
