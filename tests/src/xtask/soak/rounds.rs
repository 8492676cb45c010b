//! The kinds of pages that a soak goes over, and what it does on each: one round a function.
//!
//! Each page keeps its own record in `log`, of trusted events only where there are any. The lasting page stays open in a tab behind
//! the others for the whole run: what a page may gather over time shows there.

use crate::{Browser, Page, Session};

use super::course::Course;

/// A page's record of what it got.
const LOG: &str = "<script>window.log=[];const note=(type,tell)=>addEventListener(type,e=>{if(e.isTrusted)log.push(tell(e))},true);\
    note('click',e=>'click '+e.target.id);note('keydown',e=>'key '+e.key);note('mouseover',e=>'over '+e.target.id);\
    note('input',e=>'input '+e.target.id);addEventListener('change',e=>log.push('change '+e.target.id+' '+e.target.value),true)</script>";

type Steps = Box<dyn Fn(&mut Course<'_>) -> Result<(), String>>;

/// A kind of page and what is done on it.
pub(super) struct Round {
    pub(super) name: &'static str,
    steps: Steps,
}

impl Round {
    pub(super) fn run(&self, course: &mut Course<'_>) -> Result<(), String> {
        (self.steps)(course)
    }
}

/// All kinds, their pages served.
pub(super) fn all(browser: &Browser) -> Vec<Round> {
    let round = |name, steps: Steps| Round { name, steps };
    vec![
        round("a form", form(browser)),
        round("a list that grows", list(browser)),
        round("a walk over pages", walk(browser)),
        round("a frame of another site", frames(browser)),
        round("dialogs", dialogs(browser)),
        round("a popup", popups(browser)),
        round("routes of one page", routes(browser)),
        round("10,000 nodes", large(browser)),
    ]
}

/// Goes to a page of this run's server and gives the oracle's view of it.
fn open<'a>(course: &mut Course<'a>, url: &str) -> Result<Page<'a>, String> {
    let url = format!("{url}?{}", course.done());
    let reply = course.run(&["navigate", &url], 0)?;
    if reply["final_url"] != url.as_str() || !course.browser.devtools().has_page(&url) {
        return Err(format!("navigating to {url} was reported done: {reply}"));
    }
    Ok(course.browser.devtools().page(&url))
}

fn served(browser: &Browser, html: &str) -> String {
    browser.pages().html(&format!("{LOG}{html}"))
}

fn form(browser: &Browser) -> Steps {
    let url = served(
        browser,
        "<style>header{position:sticky;top:0;height:90px;background:#eee}main{height:3000px}</style><header>H</header><main></main>\
         <form onsubmit=\"log.push('sent '+i.value);return false\"><input id=i><textarea id=t></textarea><select id=s><option>a<option>b<option>c</select>\
         <input id=c type=checkbox><input id=d type=date><div id=e contenteditable>old</div><input id=r type=range min=0 max=100 value=0><button id=b>Send</button></form>",
    );
    Box::new(move |course| {
        let page = open(course, &url)?;
        let text = format!("text {}", course.done());
        let option = ["b", "c"][course.done() % 2];
        course.act(
            &page,
            &["fill", "#i", "--value", &text],
            &format!("i.value==='{text}'&&log.includes('input i')"),
        )?;
        course.act(
            &page,
            &["type", "#t", "--value", "ab\nc"],
            "t.value==='ab\\nc'&&log.includes('key c')",
        )?;
        course.act(
            &page,
            &["select", "#s", "--label", option],
            &format!("log.at(-1)==='change s {option}'"),
        )?;
        course.act(&page, &["check", "#c"], "c.checked&&log.includes('click c')")?;
        course.act(&page, &["uncheck", "#c"], "!c.checked")?;
        course.act(&page, &["fill", "#d", "--value", "2026-03-09"], "log.includes('change d 2026-03-09')")?;
        course.act(&page, &["fill", "#e", "--value", "one\ntwo"], "e.innerText.trim()==='one\\ntwo'")?;
        course.act(&page, &["drag", "#r", "--from", "8,8", "--to", "100,8"], "Number(r.value)>20")?;
        course.act(
            &page,
            &["press", "Enter", "--selector", "#i"],
            &format!("log.includes('sent {text}')"),
        )?;
        page.evaluate("window.log=[]");
        course.act(
            &page,
            &["click", "#b", "--observe"],
            &format!("log.includes('click b')&&log.includes('sent {text}')"),
        )?;
        course.act(&page, &["focus", "#t"], "document.activeElement===t")?;
        course.act(&page, &["hover", "header"], "document.querySelector('header').matches(':hover')")?;
        Ok(())
    })
}

fn list(browser: &Browser) -> Steps {
    let url = served(
        browser,
        "<button id=more>More</button><p id=clock></p><ul id=l></ul><script>let n=0;more.onclick=()=>{for(let k=0;k<50;k++){n++;\
         l.insertAdjacentHTML('beforeend',`<li><span>Row ${n}.</span> <button onclick=\"log.push('row ${n}')\">Take ${n}</button>`)}};\
         setInterval(()=>clock.textContent=Date.now(),40);document.body.style.margin=0</script>",
    );
    Box::new(move |course| {
        let page = open(course, &url)?;
        for rows in [50, 100] {
            course.act(&page, &["click", "#more", "--observe"], &format!("l.children.length==={rows}"))?;
            let last = format!("Take {rows}");
            course.act(&page, &["click", "--name", &last], &format!("log.at(-1)==='row {rows}'"))?;
            course.act(&page, &["scroll", "--to", "top"], "scrollY===0")?;
        }
        course.act(&page, &["scroll", "--until-text", "Row 90."], "scrollY>500")?;
        course.act(&page, &["scroll", "--by", "0,-300"], "scrollY>200")?;
        let seen = course.run(&["observe", "--max-tokens", "4000"], 0)?;
        if seen["text"].as_str().is_none_or(|text| !text.contains("Row ")) {
            return Err(format!("an observation without the rows: {seen}"));
        }
        Ok(())
    })
}

fn walk(browser: &Browser) -> Steps {
    let second = served(browser, "<title>Second</title><p>There</p>");
    let first = served(browser, &format!("<title>First</title><a id=a href='{second}'>On</a>"));
    Box::new(move |course| {
        let page = open(course, &first)?;
        course.act(&page, &["click", "#a"], "document.title==='Second'")?;
        course.act(&page, &["navigate-back"], "document.title==='First'")?;
        course.act(&page, &["navigate-forward"], "document.title==='Second'")?;
        page.evaluate("window.old=true");
        course.act(&page, &["reload"], "document.title==='Second'&&window.old===undefined")?;
        course.act(&page, &["navigate-back", "--observe"], "document.title==='First'")?;
        course.act(&page, &["press", "Enter", "--selector", "#a"], "document.title==='Second'")?;
        Ok(())
    })
}

fn frames(browser: &Browser) -> Steps {
    let inner = browser.pages().html(
        "<style>body{padding:20px}</style><script>const tell=text=>parent.postMessage(text,'*')</script><button onclick=\"tell('pay')\">Deep pay</button>\
         <input aria-label=Deep oninput=\"tell('in '+this.value)\"><label><input type=checkbox onchange=\"tell('is '+this.checked)\">Agree</label>",
    );
    let url = served(
        browser,
        &format!(
            "<iframe style='transform:scale(.8);border:3px solid;margin:30px' width=500 height=200 src='{}'></iframe><script>onmessage=e=>log.push(e.data)</script>",
            inner.replace("127.0.0.1", "other.localhost")
        ),
    );
    Box::new(move |course| {
        let page = open(course, &url)?;
        let text = format!("deep {}", course.done());
        course.act_afar(&page, &["click", "--name", "Deep pay"], "log.at(-1)==='pay'")?;
        course.act_afar(
            &page,
            &["fill", "--label", "Deep", "--value", &text],
            &format!("log.at(-1)==='in {text}'"),
        )?;
        course.act_afar(&page, &["press", "x", "--label", "Deep"], &format!("log.at(-1)==='in {text}x'"))?;
        course.act_afar(&page, &["check", "--label", "Agree", "--observe"], "log.at(-1)==='is true'")?;
        Ok(())
    })
}

fn dialogs(browser: &Browser) -> Steps {
    let url = served(
        browser,
        "<button id=a onclick=\"alert('hi');log.push('after')\">A</button><button id=c onclick=\"log.push(confirm('sure?'))\">C</button>\
         <button id=p onclick=\"log.push(prompt('name?','Ann'))\">P</button>",
    );
    Box::new(move |course| {
        let page = open(course, &url)?;
        for (button, answer, record) in [
            ("#a", &["dialog", "accept"][..], "'after'"),
            ("#c", &["dialog", "dismiss"], "false"),
            ("#p", &["dialog", "accept", "--text", "Bob"], "'Bob'"),
            ("#p", &["dialog", "dismiss", "--observe"], "null"),
        ] {
            course.run(&["click", button], 6)?;
            course.act(&page, answer, &format!("log.at(-1)==={record}"))?;
        }
        Ok(())
    })
}

fn popups(browser: &Browser) -> Steps {
    let popup = browser.pages().html(
        "<button id=p onclick=\"opener.log.push('from the popup')\">Tell</button><input id=q oninput=\"opener.log.push(this.value)\">",
    );
    let url =
        served(browser, &format!("<button id=o onclick=\"window.w=window.open('{popup}')\">Open</button>"));
    Box::new(move |course| {
        let page = open(course, &url)?;
        let here = course.session.tab_id().to_string();
        let reply = course.act(&page, &["click", "#o", "--tab-id", &here], "w.closed===false")?;
        let there = reply["effects"]["opened_tab_ids"][0].as_u64();
        let there = there.ok_or_else(|| format!("no popup in the reply: {reply}"))?.to_string();
        course.act_afar(&page, &["click", "#p", "--tab-id", &there], "log.at(-1)==='from the popup'")?;
        course.act_afar(
            &page,
            &["fill", "#q", "--value", "far", "--tab-id", &there],
            "log.at(-1)==='far'",
        )?;
        course.act_afar(&page, &["tab", "close", &there], "w.closed")?;
        course.act(&page, &["click", "#o", "--tab-id", &here], "w.closed===false")?;
        page.evaluate("w.close()");
        course.act_afar(&page, &["hover", "#o", "--tab-id", &here], "w.closed")?;
        Ok(())
    })
}

fn routes(browser: &Browser) -> Steps {
    let url = served(
        browser,
        "<button id=b>B</button><main id=m>A</main><script>const draw=()=>{m.innerHTML='<p>Route '+(history.state??'a')+'</p><input>'.repeat(20)};\
         b.onclick=()=>{history.pushState('b','',location.pathname+'/b');setTimeout(draw,60)};onpopstate=()=>{draw();log.push('back')}</script>",
    );
    Box::new(move |course| {
        let page = open(course, &url)?;
        for _ in 0..2 {
            course.act(&page, &["click", "#b"], "location.pathname.endsWith('/b')")?;
            course.act(&page, &["wait-for", "--text", "Route b"], "m.textContent.startsWith('Route b')")?;
            page.evaluate("window.log=[]");
            course.act(
                &page,
                &["navigate-back", "--observe"],
                "log.includes('back')&&!location.pathname.endsWith('/b')",
            )?;
        }
        Ok(())
    })
}

fn large(browser: &Browser) -> Steps {
    let url = served(
        browser,
        "<main id=m></main><button id=b>Finish</button><input id=i><select id=s><option>a<option>b</select><p id=h>Rest here</p>\
         <script>m.innerHTML=Array.from({length:3300},(_,k)=>'<div><span>row '+k+'</span><a href=#x>link '+k+'</a></div>').join('')</script>",
    );
    Box::new(move |course| {
        let page = open(course, &url)?;
        course.act(&page, &["click", "--role", "button", "--name", "Finish"], "log.includes('click b')")?;
        course.act(
            &page,
            &["fill", "#i", "--value", "large"],
            "i.value==='large'&&log.includes('input i')",
        )?;
        course.act(&page, &["select", "#s", "--label", "b"], "log.at(-1)==='change s b'")?;
        course.act(&page, &["hover", "#h"], "log.includes('over h')")?;
        course.act(&page, &["press", "x", "--selector", "#i"], "i.value==='largex'")?;
        let found = course.run(&["find", "row 3299"], 0)?;
        if !found.to_string().contains("row 3299") {
            return Err(format!("the last row was not found: {found}"));
        }
        Ok(())
    })
}

/// The page that stays open.
pub(super) struct Lasting<'a> {
    pub(super) page: Page<'a>,
    tab: String,
}

impl<'a> Lasting<'a> {
    pub(super) fn open(browser: &'a Browser, session: &Session<'_>) -> Self {
        let url = served(
            browser,
            "<button id=b>Go</button><input id=i><select id=s><option>a<option>b</select><input id=c type=checkbox><ul id=l></ul>\
             <script>let n=0;b.onclick=()=>{n++;l.innerHTML=Array.from({length:100},(_,k)=>`<li><a href=#${n}-${k}>Entry ${n}-${k}.</a>`).join('')}</script>",
        );
        let made = session.ok(&["tab", "create", "--no-active", "--url", &url]);
        Self { page: browser.devtools().page(&url), tab: made["tab_id"].to_string() }
    }

    pub(super) fn run(&self, course: &mut Course<'_>) -> Result<(), String> {
        let Self { page, tab } = self;
        let text = format!("text {}", course.done());
        let here = |args: &[&'static str]| -> Vec<&str> { [args, &["--tab-id", tab]].concat() };
        page.evaluate("window.log=[];c.checked=false;s.value='a';document.activeElement.blur()");
        course.act(
            page,
            &here(&["click", "#b", "--observe"]),
            "log.includes('click b')&&l.children.length===100",
        )?;
        course.act(
            page,
            &["fill", "#i", "--value", &text, "--tab-id", tab],
            &format!("i.value==='{text}'&&log.includes('input i')"),
        )?;
        course.act(page, &here(&["press", "x", "--selector", "#i"]), "log.includes('key x')")?;
        course.act(page, &here(&["select", "#s", "--label", "b"]), "log.includes('change s b')")?;
        course.act(page, &here(&["check", "#c"]), "c.checked&&log.includes('click c')")?;
        course.act(
            page,
            &here(&["hover", "li:nth-child(3) a"]),
            "document.querySelector('li:nth-child(3) a').matches(':hover')",
        )?;
        course.act(page, &here(&["click", "--text", "77."]), "location.hash.endsWith('-77')")?;
        course.act(page, &here(&["type", "#i", "--value", "yz"]), "i.value.endsWith('xyz')")?;
        course.run(&here(&["observe"]), 0)?;
        Ok(())
    }
}
