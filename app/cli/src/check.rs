//! `lozenge check`: the answers of all parties on one input, compared.

use lozenge_fuzz::agreement::Agreement;
use lozenge_fuzz::subject::checked::Checked;
use serde_json::json;

use crate::report::{Report, Status};

/// Returns the answer of the command.
pub fn report(checked: &Checked) -> Report {
    Report {
        text: checked.to_string(),
        json: json!(checked),
        status: status(checked.agreement()),
    }
}

/// The exit status of an agreement.
pub fn status(agreement: Agreement) -> Status {
    match agreement {
        Agreement::Agree | Agreement::PolicyGap | Agreement::StopsShort => Status::Good,
        Agreement::Disagree => Status::Refused,
        Agreement::Unknown => Status::Unknown,
    }
}
