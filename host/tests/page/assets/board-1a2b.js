document.title = "A board";
